-- ?1 memory, ?2 channel, ?3 message ids, a JSON array. Inserts a row for each message that exists.
INSERT INTO memory_source_messages (memory, message)
SELECT ?1, m.key
FROM integers(?3) AS wanted
CROSS JOIN messages AS m ON m.channel = ?2 AND m.ts_key = wanted.value;
