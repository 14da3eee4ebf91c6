-- The current texts elsewhere that were made from a channel.
-- ?1 workspace, ?2 channel
SELECT m.id, m.scope, m.scope_id, m.memory_type, m.version
FROM origin_channels AS o
JOIN memories AS m INDEXED BY memories_by_origins ON m.origins = o.origins AND m.superseded_at IS NULL
JOIN channels AS c ON c.key = o.channel
WHERE o.channel = ?2 AND m.workspace = ?1
    AND NOT (m.scope = 1 AND m.scope_id = c.id)
    AND NOT (m.scope = 2 AND SUBSTR(m.scope_id, 1, LENGTH(c.id) + 1) = c.id || ':')
ORDER BY m.id;
