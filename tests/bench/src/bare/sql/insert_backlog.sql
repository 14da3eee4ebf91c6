INSERT INTO backlog
    (workspace, channel, thread_key, first_reply_key, newest_key, oldest_new_key, new_count, watermark, short_term_id,
    merged_through)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, -1, 0, 0);
