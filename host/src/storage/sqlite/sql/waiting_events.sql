-- ?1 workspace, ?2 now, ?3 limit
SELECT id, event_id, payload, failures FROM events INDEXED BY events_waiting
WHERE workspace = ?1 AND state = 0 AND next_try_at <= ?2
ORDER BY id LIMIT ?3;
