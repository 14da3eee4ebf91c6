-- ?1 workspace, ?2 scope, ?3 scope id, ?4 memory type
SELECT id, origins FROM memories
WHERE workspace = ?1 AND scope = ?2 AND scope_id = ?3 AND memory_type = ?4 AND superseded_at IS NULL
    AND version > 0
ORDER BY version DESC;
