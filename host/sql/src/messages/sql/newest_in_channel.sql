-- ?1 channel, ?2 until
SELECT MAX(ts_key) FROM messages WHERE channel = ?1 AND ts_key <= ?2 AND deleted_at IS NULL;
