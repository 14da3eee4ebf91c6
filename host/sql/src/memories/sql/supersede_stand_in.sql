-- ?1 workspace, ?2 scope, ?3 scope id, ?4 memory type, ?5 time
UPDATE memories SET superseded_at = ?5
WHERE workspace = ?1 AND scope = ?2 AND scope_id = ?3 AND memory_type = ?4 AND version = 0
    AND superseded_at IS NULL;
