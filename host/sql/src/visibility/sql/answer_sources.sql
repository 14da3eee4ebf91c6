-- The messages that an answer was made from, oldest first. ?1 channel, ?2 the message that it answers
SELECT c.id, COALESCE(NULLIF(c.name, ''), c.id), m.ts_key,
    COALESCE(NULLIF(m.author_name, ''), NULLIF(u.name, ''), '(unknown user)'),
    m.text, m.deleted_at IS NOT NULL, m.channel
FROM reply_sources AS s
JOIN messages AS m ON m.channel = s.source_channel AND m.ts_key = s.source_key
JOIN channels AS c ON c.key = m.channel
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
WHERE s.channel = ?1 AND s.ts_key = ?2
ORDER BY m.ts_key, c.id;
