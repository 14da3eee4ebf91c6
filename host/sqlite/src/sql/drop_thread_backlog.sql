-- ?1 channel, ?2 thread
DELETE FROM backlog WHERE channel = ?1 AND thread_key = ?2;
