-- ?1 channel, ?2 message id
DELETE FROM reply_parts WHERE channel = ?1 AND ts_key = ?2;
