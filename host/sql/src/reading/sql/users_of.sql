-- ?1 workspace, ?2 ids as a JSON array
SELECT id, name, is_bot FROM users WHERE workspace = ?1 AND id IN (SELECT value FROM texts(?2)) AND name <> '';
