-- ?1 channel, ?2 thread, ?3 until
-- Without a reply there is no thread, and nothing waits in it. A change after the memory counts as a new message. A
-- change at `until` or later does not exist yet.
WITH thread (ts_key) AS (
    SELECT ts_key FROM messages
    WHERE channel = ?1 AND thread_key = ?2 AND ts_key <= ?3 AND deleted_at IS NULL
    UNION ALL
    SELECT ts_key FROM messages
    WHERE channel = ?1 AND ts_key = ?2 AND ts_key <= ?3 AND deleted_at IS NULL
)
SELECT
    c.id,
    COALESCE(NULLIF(c.name, ''), c.id),
    c.is_private,
    CASE WHEN b.first_reply_key <= ?3 THEN (SELECT MAX(ts_key) FROM thread) END,
    CASE WHEN b.first_reply_key <= ?3 THEN (SELECT COUNT(*) FROM thread WHERE ts_key > b.watermark) + (
        SELECT COUNT(*) FROM changed_threads AS d
        WHERE d.workspace = c.workspace AND d.channel = ?1 AND d.thread_key = ?2 AND b.short_term_id > 0
            AND d.changed_at < ?3 / 1000000
    ) ELSE 0 END,
    b.watermark,
    m.version,
    0,
    0,
    0
FROM channels AS c
LEFT JOIN backlog AS b ON b.channel = c.key AND b.thread_key = ?2
LEFT JOIN memories AS m ON m.id = b.short_term_id
WHERE c.key = ?1;
