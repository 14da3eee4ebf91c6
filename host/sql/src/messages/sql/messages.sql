-- ?1 channel, ?2 since, ?3 until, ?4 limit of the newest, ?5 limit of the oldest, ?6 the whole thread or -1, ?7 limit of
-- the newest that wait, ?8 limit of the oldest that wait (three of these four limits are 0), ?9 limit of the thread's
-- newest replies, ?10 whether to leave out replies
WITH
picked (key, thread_key) AS MATERIALIZED (
    SELECT key, thread_key FROM (
        SELECT key, thread_key FROM messages
        WHERE channel = ?1 AND ts_key BETWEEN ?2 AND ?3 AND deleted_at IS NULL
            AND thread_key IS DISTINCT FROM ?6 AND ts_key <> ?6 AND (?10 = 0 OR thread_key IS NULL)
        ORDER BY ts_key DESC LIMIT ?4
    ) AS newest
    UNION ALL
    SELECT key, thread_key FROM (
        SELECT key, thread_key FROM messages
        WHERE channel = ?1 AND ts_key BETWEEN ?2 AND ?3 AND deleted_at IS NULL
            AND thread_key IS DISTINCT FROM ?6 AND ts_key <> ?6
        ORDER BY ts_key LIMIT ?5
    ) AS oldest
    UNION ALL
    SELECT key, thread_key FROM (
        SELECT key, thread_key FROM messages INDEXED BY messages_waiting
        WHERE channel = ?1 AND ts_key BETWEEN ?2 AND ?3 AND news_of IS NULL AND deleted_at IS NULL
            AND thread_key IS DISTINCT FROM ?6 AND ts_key <> ?6 AND (?10 = 0 OR thread_key IS NULL)
        ORDER BY ts_key DESC LIMIT ?7
    ) AS newest_waiting
    UNION ALL
    SELECT key, thread_key FROM (
        SELECT key, thread_key FROM messages INDEXED BY messages_waiting
        WHERE channel = ?1 AND ts_key BETWEEN ?2 AND ?3 AND news_of IS NULL AND deleted_at IS NULL
            AND thread_key IS DISTINCT FROM ?6 AND ts_key <> ?6
        ORDER BY ts_key LIMIT ?8
    ) AS oldest_waiting
    UNION ALL
    SELECT key, thread_key FROM (
        SELECT key, thread_key FROM messages
        WHERE channel = ?1 AND thread_key = ?6 AND ts_key <= ?3 AND deleted_at IS NULL
        ORDER BY ts_key DESC LIMIT ?9
    ) AS of_thread
    UNION ALL
    SELECT key, thread_key FROM messages
    WHERE channel = ?1 AND ts_key = ?6 AND ts_key <= ?3 AND deleted_at IS NULL
),
shown (key) AS (
    SELECT key FROM picked
    UNION ALL
    SELECT first.key
    FROM (SELECT DISTINCT thread_key FROM picked WHERE thread_key IS NOT NULL) AS thread
    CROSS JOIN messages AS first ON first.channel = ?1 AND first.ts_key = thread.thread_key
    WHERE first.deleted_at IS NULL AND first.ts_key <= ?3 AND first.key NOT IN (SELECT key FROM picked)
)
SELECT
    m.ts_key,
    m.user_id,
    COALESCE(NULLIF(m.author_name, ''), NULLIF(u.name, ''), '(unknown user)'),
    m.is_bot = 1 OR COALESCE(u.is_bot, 0) = 1,
    m.text,
    -- The first message of a thread has its own id here, if there is a reply.
    CASE WHEN t.first_reply_key <= ?3 THEN m.ts_key ELSE m.thread_key END,
    m.edited_at,
    asked.ts_key IS NOT NULL
FROM shown
CROSS JOIN messages AS m ON m.key = shown.key
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
LEFT JOIN backlog AS t ON t.channel = m.channel AND t.thread_key = m.ts_key AND m.thread_key IS NULL
LEFT JOIN replies AS asked ON asked.channel = m.channel AND asked.ts_key = m.ts_key AND asked.kind = 0
ORDER BY m.ts_key;
