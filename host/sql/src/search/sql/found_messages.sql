-- ?1 messages, a JSON array of keys, ?2 until
SELECT
    m.ts_key,
    m.user_id,
    COALESCE(NULLIF(m.author_name, ''), NULLIF(u.name, ''), '(unknown user)'),
    m.is_bot = 1 OR COALESCE(u.is_bot, 0) = 1,
    m.text,
    -- The first message of a thread has its own id here, if there is a reply.
    CASE WHEN t.first_reply_key <= ?2 THEN m.ts_key ELSE m.thread_key END,
    m.edited_at,
    asked.ts_key IS NOT NULL,
    m.channel,
    m.key
FROM integers(?1) AS wanted
CROSS JOIN messages AS m ON m.key = wanted.value
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
LEFT JOIN backlog AS t ON t.channel = m.channel AND t.thread_key = m.ts_key AND m.thread_key IS NULL
LEFT JOIN replies AS asked ON asked.channel = m.channel AND asked.ts_key = m.ts_key AND asked.kind = 0;
