-- ?1 channel, ?2 message id
SELECT key FROM messages WHERE channel = ?1 AND ts_key = ?2;
