-- The first id without a message. ?1 channel, ?2 message ids, a JSON array
SELECT wanted.value
FROM integers(?2) AS wanted
WHERE NOT EXISTS (SELECT 1 FROM messages AS m WHERE m.channel = ?1 AND m.ts_key = wanted.value)
ORDER BY wanted.key
LIMIT 1;
