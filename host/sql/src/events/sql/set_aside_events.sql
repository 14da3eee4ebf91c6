-- ?1 workspace, ?2 limit
SELECT id, event_id, received_at, payload, error FROM events INDEXED BY events_set_aside
WHERE workspace = ?1 AND state = 2
ORDER BY id LIMIT ?2;
