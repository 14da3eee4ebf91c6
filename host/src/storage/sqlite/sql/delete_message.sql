-- ?1 channel, ?2 message id, ?3 time
UPDATE messages SET deleted_at = ?3, text = '', author_name = NULL
WHERE channel = ?1 AND ts_key = ?2 AND deleted_at IS NULL
RETURNING thread_key;
