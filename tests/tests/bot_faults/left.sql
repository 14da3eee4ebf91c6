-- What people left: channels, users, messages (deleted ones too), in their order. ?1 is when it began, in
-- microseconds since 1970; times are told from there on. `U0BOT00001` is the bot; a post of its own that was retracted
-- before its event came has no author yet.
SELECT 'channel' AS kind, id, 0 AS ts, 0 AS thread, name AS author, is_private AS is_bot, present AS deleted, '' AS text
FROM channels
UNION ALL
SELECT 'user', id, 0, 0, name, is_bot, 0, ''
FROM users
UNION ALL
SELECT 'message', c.id, m.ts_key - ?1, m.thread_key - ?1, COALESCE(m.author_name, u.name), m.is_bot,
    m.deleted_at IS NOT NULL, CASE WHEN m.deleted_at IS NULL THEN m.text ELSE '' END
FROM messages AS m
JOIN channels AS c ON c.key = m.channel
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
WHERE m.user_id <> 'U0BOT00001'
    AND NOT EXISTS (SELECT 1 FROM reply_parts AS p WHERE p.channel = m.channel AND p.posted_key = m.ts_key)
ORDER BY 1, 2, 3
