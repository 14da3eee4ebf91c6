-- ?1 channel, ?2 message id. An answer without parts is not posted.
SELECT COUNT(*) FILTER (WHERE posted_key IS NULL) + CASE WHEN COUNT(*) = 0 THEN 1 ELSE 0 END
FROM reply_parts
WHERE channel = ?1 AND ts_key = ?2;
