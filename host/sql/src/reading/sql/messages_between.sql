-- ?1 channel, ?2 from, ?3 to. The platform has none of the operator's.
SELECT ts_key, thread_key FROM messages
WHERE channel = ?1 AND ts_key BETWEEN ?2 AND ?3 AND deleted_at IS NULL AND user_id <> 'operator'
ORDER BY ts_key;
