-- ?1 workspace, ?2 the time in Unix seconds before which they were made, ?3 the maximum number
SELECT id, scope, scope_id FROM memories
WHERE workspace = ?1 AND updated_at < ?2 AND content <> '-'
ORDER BY id
LIMIT ?3;
