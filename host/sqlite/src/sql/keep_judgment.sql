-- ?1 workspace, ?2 channel, ?3 thread, ?4 message, ?5 whether to respond, ?6 confidence, ?7 until
INSERT OR REPLACE INTO judgments (workspace, channel, thread_key, ts_key, should_respond, confidence, until)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);
