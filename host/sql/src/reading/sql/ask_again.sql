-- ?1 channel, ?2 message id, ?3 now, ?4 first wait, ?5 longest wait
UPDATE missing_messages SET tries = tries + 1, next_try_at = ?3 + MIN(?4 << CAST(MIN(tries, 30) AS INTEGER), ?5)
WHERE channel = ?1 AND ts_key = ?2;
