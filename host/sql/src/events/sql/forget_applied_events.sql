-- ?1 workspace, ?2 before, ?3 a time in the future
DELETE FROM events WHERE workspace = ?1 AND state = 1 AND (applied_at < ?2 OR applied_at > ?3);
