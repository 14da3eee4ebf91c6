-- ?1 memories, a JSON array
SELECT l.memory, l.number, l.start, l.length, c.id, m.ts_key, m.is_bot = 1 OR COALESCE(u.is_bot, 0) = 1
FROM integers(?1) AS wanted
CROSS JOIN memory_lines AS l ON l.memory = wanted.value
LEFT JOIN line_sources AS s ON s.memory = l.memory AND s.number = l.number
LEFT JOIN messages AS m ON m.key = s.message
LEFT JOIN channels AS c ON c.key = m.channel
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
ORDER BY l.memory, l.number, c.id, m.ts_key;
