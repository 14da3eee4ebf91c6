-- ?1 workspace, ?2 workspace scope id, ?3 memory type
SELECT COALESCE((
    SELECT id FROM memories
    WHERE workspace = ?1 AND scope = 1 AND memory_type = ?3 AND superseded_at IS NULL AND version > 0
    ORDER BY id DESC LIMIT 1
), 0) > COALESCE((
    SELECT merged_through FROM memories
    WHERE workspace = ?1 AND scope = 0 AND scope_id = ?2 AND memory_type = ?3 AND superseded_at IS NULL
        AND version > 0
    ORDER BY version DESC LIMIT 1
), 0);
