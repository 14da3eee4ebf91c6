-- ?1 workspace, ?2 not before, ?3 not after
-- The newest message of each conversation is among the recent messages; else the conversation is too old.
WITH digests AS MATERIALIZED (
    -- Posts that answer no message. They were asked for about when they were posted.
    SELECT p.channel, p.posted_key
    FROM replies AS r INDEXED BY replies_by_time
    JOIN reply_parts AS p ON p.channel = r.channel AND p.ts_key = r.ts_key AND p.posted_key IS NOT NULL
    WHERE r.workspace = ?1 AND r.asked_at >= ?2 / 1000000 AND NOT EXISTS (
        SELECT 1 FROM messages AS asked WHERE asked.channel = r.channel AND asked.ts_key = r.ts_key
    )
)
SELECT c.id, conversations.conversation, conversations.newest, conversations.user_id
FROM (
    SELECT
        m.channel,
        CASE
            WHEN m.thread_key IS NOT NULL THEN m.thread_key
            WHEN EXISTS (
                SELECT 1 FROM backlog AS b
                WHERE b.channel = m.channel AND b.thread_key = m.ts_key AND b.first_reply_key IS NOT NULL
            ) THEN m.ts_key
            ELSE 0
        END AS conversation,
        -- SQLite takes the other columns from the row with the maximum.
        MAX(m.ts_key) AS newest,
        m.user_id,
        m.is_bot
    FROM messages AS m INDEXED BY messages_by_time
    WHERE m.workspace = ?1 AND m.deleted_at IS NULL AND m.ts_key >= ?2
        AND (m.channel, m.ts_key) NOT IN digests
    GROUP BY m.channel, conversation
) AS conversations
JOIN channels AS c ON c.key = conversations.channel AND c.present = 1
LEFT JOIN users AS u ON u.workspace = ?1 AND u.id = conversations.user_id
WHERE conversations.newest <= ?3 AND conversations.is_bot = 0 AND COALESCE(u.is_bot, 0) = 0 AND NOT EXISTS (
    SELECT 1 FROM replies AS r WHERE r.channel = conversations.channel AND r.ts_key = conversations.newest
)
ORDER BY c.id, conversations.conversation;
