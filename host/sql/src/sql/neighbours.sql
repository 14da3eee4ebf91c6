-- ?1 channel, ?2 message, ?3 its thread or NULL, ?4 since, ?5 until, ?6 how many on each side
-- Of a reply: its thread, with the thread's first message. Of any other message: the top level of its channel, and the
-- first replies to it.
SELECT key FROM (
    SELECT key FROM messages
    WHERE ?3 IS NOT NULL AND channel = ?1 AND thread_key = ?3 AND ts_key < ?2 AND ts_key >= ?4 AND deleted_at IS NULL
    ORDER BY ts_key DESC LIMIT ?6
) AS replies_before
UNION
SELECT key FROM (
    SELECT key FROM messages
    WHERE ?3 IS NOT NULL AND channel = ?1 AND thread_key = ?3 AND ts_key > ?2 AND ts_key <= ?5 AND deleted_at IS NULL
    ORDER BY ts_key LIMIT ?6
) AS replies_after
UNION
SELECT key FROM messages
WHERE ?3 IS NOT NULL AND channel = ?1 AND ts_key = ?3 AND ts_key >= ?4 AND deleted_at IS NULL AND ?6 > (
    SELECT COUNT(*) FROM (
        SELECT 1 FROM messages
        WHERE channel = ?1 AND thread_key = ?3 AND ts_key < ?2 AND deleted_at IS NULL
        LIMIT ?6
    ) AS counted
)
UNION
SELECT key FROM (
    SELECT key FROM messages
    WHERE ?3 IS NULL AND channel = ?1 AND thread_key IS NULL AND ts_key < ?2 AND ts_key >= ?4 AND deleted_at IS NULL
    ORDER BY ts_key DESC LIMIT ?6
) AS before
UNION
SELECT key FROM (
    SELECT key FROM messages
    WHERE ?3 IS NULL AND channel = ?1 AND thread_key IS NULL AND ts_key > ?2 AND ts_key <= ?5 AND deleted_at IS NULL
    ORDER BY ts_key LIMIT ?6
) AS after
UNION
SELECT key FROM (
    SELECT key FROM messages
    WHERE ?3 IS NULL AND channel = ?1 AND thread_key = ?2 AND ts_key <= ?5 AND deleted_at IS NULL
    ORDER BY ts_key LIMIT ?6
) AS first_replies;
