-- ?1 channel, ?2 message id
SELECT number, text, sending, posted_key FROM reply_parts WHERE channel = ?1 AND ts_key = ?2 ORDER BY number;
