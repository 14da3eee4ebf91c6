INSERT INTO messages (workspace, channel, ts_key, thread_key, user_id, is_bot, text, changed_key)
VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, ?3);
