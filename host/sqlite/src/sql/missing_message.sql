-- ?1 channel, ?2 message ids, a JSON array: the first of which there is no message
SELECT wanted.value
FROM json_each(?2) AS wanted
WHERE NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.channel = ?1 AND m.ts_key = wanted.value)
LIMIT 1;
