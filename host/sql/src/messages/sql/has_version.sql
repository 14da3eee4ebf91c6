-- ?1 channel
SELECT EXISTS (SELECT 1 FROM backlog WHERE channel = ?1 AND thread_key = 0 AND short_term_id > 0);
