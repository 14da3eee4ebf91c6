-- ?1 channel, ?2 message id, ?3 number, ?4 its message
UPDATE reply_parts SET posted_key = ?4
WHERE channel = ?1 AND ts_key = ?2 AND number = ?3 AND COALESCE(posted_key, ?4) = ?4;
