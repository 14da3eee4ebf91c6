-- ?1 channel, ?2 message id, ?3 number
UPDATE reply_parts SET sending = 0 WHERE channel = ?1 AND ts_key = ?2 AND number = ?3 AND posted_key IS NULL;
