-- ?1 channel, ?2 message id. An answer without parts is not posted.
SELECT COUNT(*) FILTER (WHERE posted_key IS NULL) + (COUNT(*) = 0)
FROM reply_parts
WHERE channel = ?1 AND ts_key = ?2;
