-- Only memories that the workspace's place may see count.
-- ?1 workspace, ?2 workspace scope id, ?3 memory type
WITH
visible (id) AS (
    SELECT m.id FROM memories AS m INDEXED BY memories_newest
    CROSS JOIN channel_audience AS c ON c.workspace = m.workspace AND c.id = m.scope_id AND c.is_open = 1
    WHERE m.workspace = ?1 AND m.scope = 1 AND m.memory_type = ?3 AND m.superseded_at IS NULL AND m.version > 0
        AND m.origins IS NOT NULL
        AND NOT EXISTS (
            SELECT 1 FROM origin_channels AS o JOIN channel_audience AS a ON a.channel = o.channel
            WHERE o.origins = m.origins AND a.is_public = 0
        )
)
SELECT COALESCE((SELECT id FROM visible ORDER BY id DESC LIMIT 1), 0) > COALESCE((
    SELECT m.merged_through FROM memories AS m
    WHERE m.workspace = ?1 AND m.scope = 0 AND m.scope_id = ?2 AND m.memory_type = ?3 AND m.superseded_at IS NULL
        AND m.version > 0 AND m.origins IS NOT NULL
        AND NOT EXISTS (
            SELECT 1 FROM origin_channels AS o JOIN channel_audience AS a ON a.channel = o.channel
            WHERE o.origins = m.origins AND a.is_public = 0
        )
    ORDER BY m.version DESC LIMIT 1
), 0);
