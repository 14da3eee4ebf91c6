-- ?1 memory, ?2 channels and message ids, a JSON array
INSERT INTO handed_messages (message, memory)
SELECT m.key, ?1
FROM tuples(?2) AS given
CROSS JOIN messages AS m ON m.channel = given.first AND m.ts_key = given.second
WHERE NOT EXISTS (SELECT 1 FROM memory_source_messages AS s WHERE s.memory = ?1 AND s.message = m.key)
ON CONFLICT DO NOTHING;
