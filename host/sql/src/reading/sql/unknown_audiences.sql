-- ?1 workspace
SELECT id FROM channels
WHERE workspace = ?1 AND present = 1 AND (is_shared IS NULL OR members_known = 0)
ORDER BY id;
