-- ?1 channel, ?2 message id, ?3 state, ?4 error
UPDATE replies SET state = ?3, error = ?4 WHERE channel = ?1 AND ts_key = ?2 AND state = 0
RETURNING thread_key;
