-- The current texts of a channel that were made from other channels, too.
-- ?1 workspace, ?2 channel
SELECT m.id, m.scope, m.scope_id, m.memory_type, m.version
FROM channels AS c
JOIN memories AS m ON m.workspace = ?1 AND m.superseded_at IS NULL
    AND ((m.scope = 1 AND m.scope_id = c.id) OR (m.scope = 2 AND m.scope_id BETWEEN c.id || ':' AND c.id || ';'))
WHERE c.key = ?2
    AND EXISTS (SELECT 1 FROM origin_channels AS o WHERE o.origins = m.origins AND o.channel <> ?2)
ORDER BY m.id;
