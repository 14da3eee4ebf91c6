-- ?1 channel, ?2 message id, ?3 error, ?4 next try
UPDATE replies SET failures = failures + 1, error = ?3, next_try_at = ?4
WHERE channel = ?1 AND ts_key = ?2 AND state = 0;
