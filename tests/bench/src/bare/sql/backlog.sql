SELECT newest_key, new_count, watermark, short_term_id, merged_through FROM backlog WHERE channel = ?1 AND thread_key = 0;
