-- ?1 workspace, ?2 channel, ?3 message id
UPDATE messages SET thread_key = ?4, user_id = ?5, author_name = ?6, is_bot = ?7, text = ?8, edited_at = ?9,
    deleted_at = ?10, changed_key = ?11, expired = ?12
WHERE workspace = ?1 AND channel = ?2 AND ts_key = ?3;
