-- ?1 memory
SELECT l.number, l.start, l.length, s.message
FROM memory_lines AS l
LEFT JOIN line_sources AS s ON s.memory = l.memory AND s.number = l.number
WHERE l.memory = ?1
ORDER BY l.number, s.message;
