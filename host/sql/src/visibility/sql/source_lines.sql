-- ?1 memory. Messages as in source_messages.sql; a line without one has none
SELECT c.id, COALESCE(NULLIF(c.name, ''), c.id), m.ts_key,
    COALESCE(NULLIF(m.author_name, ''), NULLIF(u.name, ''), '(unknown user)'),
    m.text, 0, m.channel, l.number, l.start, l.length
FROM memory_lines AS l
LEFT JOIN line_sources AS s ON s.memory = l.memory AND s.number = l.number
LEFT JOIN messages AS m ON m.key = s.message AND m.deleted_at IS NULL
LEFT JOIN channels AS c ON c.key = m.channel
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
WHERE l.memory = ?1
ORDER BY l.number, m.ts_key NULLS FIRST, c.id;
