-- ?1 channel, ?2 message id, ?3 workspace, ?4 thread
INSERT INTO missing_messages (channel, ts_key, workspace, thread_key) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING;
