-- ?1 channel, ?2 thread
SELECT newest_key, first_reply_key IS NOT NULL FROM backlog WHERE channel = ?1 AND thread_key = ?2;
