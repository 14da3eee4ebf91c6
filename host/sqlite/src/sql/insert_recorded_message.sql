-- ?1 channel, ?2 message id, ?3 recording
INSERT OR IGNORE INTO recorded_messages (channel, ts_key, recording) VALUES (?1, ?2, ?3);
