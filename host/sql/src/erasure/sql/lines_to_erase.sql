-- The lines that may hold what messages said: those that cite one of them, and lines without a source, if the memory's call
-- was given one of the messages or a memory that holds some of it. Where it is not known what the call was given, the memory
-- may hold every older message of its channels. ?1 workspace, ?2 messages, ?3 channels, both JSON arrays, ?4 the oldest of
-- the messages
WITH RECURSIVE
-- 0 for what memories were made from, 1 for what else they were given: a recursive part can name `holding` only once.
ways (way) AS (
    VALUES (0), (1)
),
holding (memory) AS (
    SELECT s.memory FROM integers(?2) AS k CROSS JOIN line_sources AS s ON s.message = k.value
    UNION
    SELECT s.memory FROM integers(?2) AS k CROSS JOIN memory_source_messages AS s ON s.message = k.value
    WHERE EXISTS (
        SELECT 1 FROM memory_lines AS l INDEXED BY memory_lines_without_source
        WHERE l.memory = s.memory AND l.has_source = 0
    )
    UNION
    SELECT s.memory FROM integers(?2) AS k CROSS JOIN handed_messages AS s ON s.message = k.value
    WHERE EXISTS (
        SELECT 1 FROM memory_lines AS l INDEXED BY memory_lines_without_source
        WHERE l.memory = s.memory AND l.has_source = 0
    )
    UNION
    SELECT m.id
    FROM memories AS m INDEXED BY memories_handed_unknown
    WHERE m.workspace = ?1 AND m.handed_known = 0
        AND (m.source_latest_key IS NULL OR MAX(m.source_latest_key, (m.updated_at + 1) * 1000000) >= ?4)
        AND CASE WHEN m.origins IS NOT NULL THEN EXISTS (
            SELECT 1 FROM origin_channels AS o
            WHERE o.origins = m.origins AND o.channel IN (SELECT value FROM integers(?3))
        ) ELSE m.scope = 0 OR EXISTS (
            SELECT 1 FROM integers(?3) AS k JOIN channels AS c ON c.key = k.value
            WHERE m.scope_id = c.id OR m.scope_id BETWEEN c.id || ':' AND c.id || ';'
        ) END
    UNION
    SELECT l.memory
    FROM holding
    CROSS JOIN ways ON true
    LEFT JOIN memory_source_memories AS s ON ways.way = 0 AND s.source = holding.memory
    LEFT JOIN handed_memories AS h ON ways.way = 1 AND h.source = holding.memory
    CROSS JOIN memory_lines AS l INDEXED BY memory_lines_without_source ON l.memory = COALESCE(s.memory, h.memory)
    WHERE l.has_source = 0
)
SELECT memory, number FROM line_sources WHERE message IN (SELECT value FROM integers(?2))
UNION
SELECT l.memory, l.number
FROM holding
CROSS JOIN memory_lines AS l INDEXED BY memory_lines_without_source ON l.memory = holding.memory
WHERE l.has_source = 0
ORDER BY 1, 2;
