-- ?1 memories, a JSON array
SELECT r.memory, c.id, m.ts_key, r.start, r.length
FROM integers(?1) AS wanted
CROSS JOIN memory_records AS r ON r.memory = wanted.value
JOIN messages AS m ON m.key = r.message AND m.deleted_at IS NULL
JOIN channels AS c ON c.key = m.channel
ORDER BY r.memory, r.number;
