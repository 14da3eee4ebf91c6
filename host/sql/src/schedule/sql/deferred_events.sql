-- deferred_events
-- ?1 workspace, ?2 now, ?3 latest possible time of a next try, ?4 limit
SELECT event_id, next_try_at, failures FROM events INDEXED BY events_waiting
WHERE workspace = ?1 AND state = 0 AND next_try_at > ?2 AND next_try_at <= ?3
ORDER BY next_try_at, id LIMIT ?4;
