-- ?1 workspace, ?2 before
DELETE FROM events WHERE workspace = ?1 AND state = 1 AND applied_at < ?2;
