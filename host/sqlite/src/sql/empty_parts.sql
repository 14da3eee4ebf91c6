-- ?1 channel, ?2 message id
UPDATE reply_parts SET text = '' WHERE channel = ?1 AND ts_key = ?2;
