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
SELECT c.id, conversations.conversation, conversations.newest, n.user_id
FROM (
    SELECT
        m.channel,
        CASE
            WHEN m.thread_key IS NOT NULL THEN m.thread_key
            -- For EXISTS, PostgreSQL may read the whole table.
            WHEN (
                SELECT b.first_reply_key FROM backlog AS b WHERE b.channel = m.channel AND b.thread_key = m.ts_key
            ) IS NOT NULL THEN m.ts_key
            ELSE 0
        END AS conversation,
        MAX(m.ts_key) AS newest
    FROM messages AS m INDEXED BY messages_by_time
    WHERE m.workspace = ?1 AND m.deleted_at IS NULL AND m.ts_key >= ?2
        AND (m.channel, m.ts_key) NOT IN (SELECT channel, posted_key FROM digests)
    GROUP BY m.channel, conversation
) AS conversations
JOIN channels AS c ON c.key = conversations.channel AND c.present = 1
JOIN messages AS n ON n.channel = conversations.channel AND n.ts_key = conversations.newest
LEFT JOIN users AS u ON u.workspace = ?1 AND u.id = n.user_id
WHERE conversations.newest <= ?3 AND n.is_bot = 0 AND COALESCE(u.is_bot, 0) = 0 AND NOT EXISTS (
    SELECT 1 FROM replies AS r WHERE r.channel = conversations.channel AND r.ts_key = conversations.newest
)
ORDER BY c.id, conversations.conversation;
