-- ?1 workspace, ?2 channel ids, a JSON array. The memories of each channel by kind and origins: its position in the array,
-- its key, scope, memory type, origins, how many, when the newest was made
SELECT wanted.key, c.key, m.scope, m.memory_type, m.origins, COUNT(*), MAX(m.updated_at)
FROM texts(?2) AS wanted
CROSS JOIN channels AS c ON c.workspace = ?1 AND c.id = wanted.value
CROSS JOIN memories AS m ON m.workspace = ?1 AND m.scope = 1 AND m.scope_id = c.id
    AND m.superseded_at IS NULL AND m.version > 0
GROUP BY wanted.key, c.key, m.scope, m.memory_type, m.origins
UNION ALL
SELECT wanted.key, c.key, m.scope, m.memory_type, m.origins, COUNT(*), MAX(m.updated_at)
FROM texts(?2) AS wanted
CROSS JOIN channels AS c ON c.workspace = ?1 AND c.id = wanted.value
CROSS JOIN memories AS m ON m.workspace = ?1 AND m.scope = 2 AND m.scope_id BETWEEN c.id || ':' AND c.id || ';'
    AND m.superseded_at IS NULL AND m.version > 0
GROUP BY wanted.key, c.key, m.scope, m.memory_type, m.origins;
