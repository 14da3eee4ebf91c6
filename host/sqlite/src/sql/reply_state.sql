-- ?1 channel, ?2 message id
SELECT state FROM replies WHERE channel = ?1 AND ts_key = ?2;
