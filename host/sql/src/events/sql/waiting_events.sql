-- ?1 workspace, ?2 now, ?3 limit, ?4 latest possible time of a next try
SELECT id, event_id, payload, failures FROM events INDEXED BY events_waiting
WHERE workspace = ?1 AND state = 0 AND (next_try_at <= ?2 OR next_try_at > ?4)
ORDER BY id LIMIT ?3;
