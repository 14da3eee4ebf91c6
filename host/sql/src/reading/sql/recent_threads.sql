-- ?1 channel, ?2 since
SELECT thread_key FROM messages
WHERE channel = ?1 AND ts_key >= ?2 AND deleted_at IS NULL AND thread_key IS NOT NULL
GROUP BY thread_key ORDER BY MAX(ts_key) DESC, thread_key;
