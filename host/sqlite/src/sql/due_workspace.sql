-- ?1 workspace, ?2 workspace scope id, ?3 memory type
SELECT COALESCE((
    SELECT m.id FROM memories AS m
    WHERE m.workspace = ?1 AND m.scope = 1 AND m.memory_type = ?3 AND m.superseded_at IS NULL AND m.version > 0
        AND EXISTS (
            SELECT 1 FROM channels AS c WHERE c.workspace = m.workspace AND c.id = m.scope_id AND c.present = 1
        )
    ORDER BY m.id DESC LIMIT 1
), 0) > COALESCE((
    SELECT merged_through FROM memories
    WHERE workspace = ?1 AND scope = 0 AND scope_id = ?2 AND memory_type = ?3 AND superseded_at IS NULL
        AND version > 0
    ORDER BY version DESC LIMIT 1
), 0);
