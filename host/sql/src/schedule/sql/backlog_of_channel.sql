-- ?1 channel, ?2 until
-- The watermark of a channel without a version is the end of its history. If there are no messages after `until`, the
-- stored counts are exact; else the messages are counted again.
SELECT
    c.id,
    COALESCE(NULLIF(c.name, ''), c.id),
    c.is_private,
    CASE WHEN b.newest_key <= ?2 THEN b.newest_key ELSE (
        SELECT ts_key FROM messages
        WHERE channel = ?1 AND ts_key <= ?2 AND deleted_at IS NULL
        ORDER BY ts_key DESC LIMIT 1
    ) END,
    CASE WHEN b.newest_key <= ?2 THEN b.new_count WHEN b.short_term_id > 0 THEN (
        SELECT COUNT(*) FROM messages INDEXED BY messages_waiting
        WHERE channel = ?1 AND news_of IS NULL AND deleted_at IS NULL AND ts_key <= ?2
    ) ELSE (
        SELECT COUNT(*) FROM messages
        WHERE channel = ?1 AND ts_key <= ?2
    ) - (
        SELECT COUNT(*) FROM messages
        WHERE channel = ?1 AND ts_key <= ?2 AND deleted_at IS NOT NULL
    ) END,
    CASE WHEN b.short_term_id > 0 THEN b.watermark ELSE c.history_through END,
    m.version,
    CASE WHEN b.short_term_id > b.merged_through THEN (
        SELECT COUNT(*) FROM memories AS u INDEXED BY memories_current
        WHERE u.workspace = c.workspace AND u.scope = 1 AND u.scope_id = c.id
            AND u.memory_type = 1 AND u.superseded_at IS NULL AND u.version > 0 AND u.id > b.merged_through
            AND u.origins IS NOT NULL
    ) ELSE 0 END,
    CASE WHEN b.oldest_new_key <= b.watermark THEN (
        SELECT COUNT(*) FROM messages INDEXED BY messages_waiting
        WHERE channel = ?1 AND news_of IS NULL AND deleted_at IS NULL AND ts_key <= MIN(b.watermark, ?2)
    ) ELSE 0 END,
    c.lost_lines
FROM channels AS c
LEFT JOIN backlog AS b ON b.channel = c.key AND b.thread_key = 0
LEFT JOIN memories AS m ON m.id = b.short_term_id
WHERE c.key = ?1;
