-- ?1 channel, ?2 thread, ?3 until
-- Until there is a reply there is no thread, and nothing waits in it.
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
    CASE WHEN b.first_reply_key <= ?3 THEN (SELECT COUNT(*) FROM thread WHERE ts_key > b.watermark) ELSE 0 END,
    b.watermark,
    m.version,
    0
FROM channels AS c
LEFT JOIN backlog AS b ON b.channel = c.key AND b.thread_key = ?2
LEFT JOIN memories AS m ON m.id = b.short_term_id
WHERE c.key = ?1;
