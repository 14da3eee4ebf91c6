-- An answer that was partly sent is completed. ?1 channel, ?2 message id
UPDATE replies SET state = 3
WHERE channel = ?1 AND ts_key = ?2 AND state = 0 AND NOT EXISTS (
    SELECT 1 FROM reply_parts AS p
    WHERE p.channel = ?1 AND p.ts_key = ?2 AND (p.sending = 1 OR p.posted_key IS NOT NULL)
)
RETURNING thread_key;
