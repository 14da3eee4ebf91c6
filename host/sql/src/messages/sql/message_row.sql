-- ?1 channel, ?2 message id
SELECT thread_key, user_id, author_name, is_bot, text, edited_at, deleted_at, changed_key, expired
FROM messages
WHERE channel = ?1 AND ts_key = ?2;
