-- ?1 channel, ?2 memory, ?3 newest message
UPDATE backlog SET oldest_new_key = NULL, new_count = 0, watermark = ?3, short_term_id = ?2
WHERE channel = ?1 AND thread_key = 0;
