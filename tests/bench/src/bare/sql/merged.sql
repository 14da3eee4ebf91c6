-- ?1 channel, ?2 memory that was merged
UPDATE backlog SET merged_through = ?2 WHERE channel = ?1 AND thread_key = 0;
