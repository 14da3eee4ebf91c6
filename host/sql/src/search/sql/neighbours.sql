-- The messages directly before and after each of several messages, or NULL. ?1 keys, a JSON array, ?2 since, ?3 until
-- Of a reply: in its thread; the first reply stands after the thread's first message. Of any other message: in the top level of
-- its channel; and the first reply to it.
SELECT m.key,
    CASE WHEN m.thread_key IS NULL THEN (
        SELECT n.key FROM messages AS n
        WHERE n.channel = m.channel AND n.thread_key IS NULL AND n.ts_key < m.ts_key AND n.ts_key >= ?2 AND n.deleted_at IS NULL
        ORDER BY n.ts_key DESC LIMIT 1
    ) ELSE (
        SELECT n.key FROM messages AS n
        WHERE n.channel = m.channel AND n.thread_key = m.thread_key AND n.ts_key < m.ts_key AND n.ts_key >= ?2
            AND n.deleted_at IS NULL
        ORDER BY n.ts_key DESC LIMIT 1
    ) END,
    (SELECT n.key FROM messages AS n
    WHERE n.channel = m.channel AND n.ts_key = m.thread_key AND n.ts_key >= ?2 AND n.deleted_at IS NULL),
    CASE WHEN m.thread_key IS NULL THEN (
        SELECT n.key FROM messages AS n
        WHERE n.channel = m.channel AND n.thread_key IS NULL AND n.ts_key > m.ts_key AND n.ts_key <= ?3 AND n.deleted_at IS NULL
        ORDER BY n.ts_key LIMIT 1
    ) ELSE (
        SELECT n.key FROM messages AS n
        WHERE n.channel = m.channel AND n.thread_key = m.thread_key AND n.ts_key > m.ts_key AND n.ts_key <= ?3
            AND n.deleted_at IS NULL
        ORDER BY n.ts_key LIMIT 1
    ) END,
    (SELECT n.key FROM messages AS n
    WHERE m.thread_key IS NULL AND n.channel = m.channel AND n.thread_key = m.ts_key AND n.ts_key <= ?3 AND n.deleted_at IS NULL
    ORDER BY n.ts_key LIMIT 1)
FROM integers(?1) AS wanted
CROSS JOIN messages AS m ON m.key = wanted.value;
