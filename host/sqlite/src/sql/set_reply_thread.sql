-- ?1 channel, ?2 message id, ?3 thread or NULL
UPDATE replies SET thread_key = ?3 WHERE channel = ?1 AND ts_key = ?2;
