-- ?1 workspace, ?2 channel, ?3 message id, ?4 time
INSERT INTO messages (workspace, channel, ts_key, user_id, is_bot, text, deleted_at)
VALUES (?1, ?2, ?3, '', 0, '', ?4) ON CONFLICT DO NOTHING;
