-- ?1 workspace, ?2 scope, ?3 scope id
SELECT memory_type, until, failures, reason FROM deferrals
WHERE workspace = ?1 AND scope = ?2 AND scope_id = ?3
ORDER BY memory_type;
