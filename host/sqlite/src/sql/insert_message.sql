INSERT INTO messages (workspace, channel, ts_key, thread_key, user_id, author_name, is_bot, text, edited_at,
    deleted_at, changed_key)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT DO NOTHING;
