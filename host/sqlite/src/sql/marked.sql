-- ?1 channel, ?2 the newest message, ?3 limit
SELECT
    m.ts_key,
    m.user_id,
    COALESCE(NULLIF(m.author_name, ''), NULLIF(u.name, ''), '(unknown user)'),
    0,
    m.text,
    -- The first message of a thread has its own id here, if there is a reply.
    CASE WHEN t.first_reply_key <= ?2 THEN m.ts_key ELSE m.thread_key END,
    m.edited_at
FROM messages AS m INDEXED BY messages_marked
JOIN channel_audience AS a ON a.channel = m.channel
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
LEFT JOIN backlog AS t ON t.channel = m.channel AND t.thread_key = m.ts_key AND m.thread_key IS NULL
WHERE m.channel = ?1 AND m.ts_key <= ?2 AND m.may_mark = 1 AND m.deleted_at IS NULL
    AND m.is_bot = 0 AND COALESCE(u.is_bot, 0) = 0
    -- Of whom it is not known whether they are a guest, the channel decides.
    AND COALESCE(u.is_guest = 0, a.sees_open)
ORDER BY m.ts_key DESC LIMIT ?3;
