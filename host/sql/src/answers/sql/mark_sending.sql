-- ?1 channel, ?2 message id, ?3 number
UPDATE reply_parts SET sending = 1
WHERE channel = ?1 AND ts_key = ?2 AND number = ?3 AND posted_key IS NULL AND EXISTS (
    SELECT 1 FROM replies AS r WHERE r.channel = ?1 AND r.ts_key = ?2 AND r.state = 0
);
