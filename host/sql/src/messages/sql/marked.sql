-- ?1 channel, ?2 the newest message, ?3 limit, ?4 workspace
WITH
pinned (ts_key) AS (
    SELECT DISTINCT p.ts_key
    FROM message_pins AS p
    JOIN channel_audience AS a ON a.channel = p.channel
    JOIN channels AS c ON c.key = p.channel
    LEFT JOIN users AS u ON u.workspace = ?4 AND u.id = p.user_id
    WHERE p.channel = ?1 AND p.ts_key <= ?2 AND p.is_pinned = 1 AND p.changed_key <= ?2
        AND (p.source = 2 OR (COALESCE(u.is_bot, 0) = 0
            AND (u.is_guest = 0 OR (u.is_guest IS NULL AND c.members_at = 0 AND a.sees_open = 1))))
),
marked (key, is_pinned) AS (
    SELECT m.key, 1
    FROM pinned CROSS JOIN messages AS m ON m.channel = ?1 AND m.ts_key = pinned.ts_key
    WHERE m.deleted_at IS NULL
    UNION ALL
    SELECT m.key, 0
    FROM messages AS m INDEXED BY messages_marked
    JOIN channel_audience AS a ON a.channel = m.channel
    JOIN channels AS c ON c.key = m.channel
    LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
    WHERE m.channel = ?1 AND m.ts_key <= ?2 AND m.may_mark = 1 AND m.deleted_at IS NULL
        AND m.is_bot = 0 AND COALESCE(u.is_bot, 0) = 0
        -- Who is not known to be a member is a stranger. Of a channel that was only imported, the import decides.
        AND (u.is_guest = 0 OR (u.is_guest IS NULL AND c.members_at = 0 AND a.sees_open = 1))
        AND m.ts_key NOT IN (SELECT ts_key FROM pinned)
)
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
    marked.is_pinned
FROM marked
CROSS JOIN messages AS m ON m.key = marked.key
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
LEFT JOIN backlog AS t ON t.channel = m.channel AND t.thread_key = m.ts_key AND m.thread_key IS NULL
LEFT JOIN replies AS asked ON asked.channel = m.channel AND asked.ts_key = m.ts_key AND asked.kind = 0
ORDER BY m.ts_key DESC LIMIT ?3;
