-- ?1 channel, ?2 from, ?3 to
SELECT ts_key, thread_key FROM messages
WHERE channel = ?1 AND ts_key BETWEEN ?2 AND ?3 AND deleted_at IS NULL
ORDER BY ts_key;
