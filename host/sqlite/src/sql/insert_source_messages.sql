-- ?1 memory, ?2 channel, ?3 message ids, a JSON array: a row for each message that there is
INSERT INTO memory_source_messages (memory, message)
SELECT ?1, m.key
FROM json_each(?3) AS wanted
CROSS JOIN messages AS m ON m.channel = ?2 AND m.ts_key = wanted.value;
