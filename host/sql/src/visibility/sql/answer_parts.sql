-- The posts of an answer, in order. ?1 channel, ?2 the message that it answers
SELECT p.posted_key, COALESCE(m.text, '')
FROM reply_parts AS p
LEFT JOIN messages AS m ON m.channel = p.channel AND m.ts_key = p.posted_key AND m.deleted_at IS NULL
WHERE p.channel = ?1 AND p.ts_key = ?2 AND p.posted_key IS NOT NULL
ORDER BY p.number;
