-- The lines that may hold what messages said: those that cite one of them, and those of which it is not known what they
-- were made from, if the memory may have been made from one. ?1 workspace, ?2 messages, ?3 channels, both JSON arrays, ?4 the
-- oldest of the messages
SELECT memory, number FROM line_sources WHERE message IN (SELECT value FROM json_each(?2))
UNION
SELECT l.memory, l.number
FROM memory_lines AS l INDEXED BY memory_lines_without_source
CROSS JOIN memories AS m ON m.id = l.memory
WHERE l.has_source = 0 AND m.workspace = ?1
    AND (m.source_latest_key IS NULL OR MAX(m.source_latest_key, (m.updated_at + 1) * 1000000) >= ?4)
    AND CASE WHEN m.origins IS NOT NULL THEN EXISTS (
        SELECT 1 FROM origin_channels AS o
        WHERE o.origins = m.origins AND o.channel IN (SELECT value FROM json_each(?3))
    ) ELSE m.scope = 0 OR EXISTS (
        SELECT 1 FROM json_each(?3) AS k JOIN channels AS c ON c.key = k.value
        WHERE m.scope_id = c.id OR m.scope_id BETWEEN c.id || ':' AND c.id || ';'
    ) END
ORDER BY 1, 2;
