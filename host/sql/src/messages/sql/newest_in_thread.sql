-- ?1 channel, ?2 thread, ?3 until
SELECT MAX(ts_key) FROM (
    SELECT ts_key FROM messages
    WHERE channel = ?1 AND thread_key = ?2 AND ts_key <= ?3 AND deleted_at IS NULL
    UNION ALL
    SELECT ts_key FROM messages
    WHERE channel = ?1 AND ts_key = ?2 AND ts_key <= ?3 AND deleted_at IS NULL
) AS thread;
