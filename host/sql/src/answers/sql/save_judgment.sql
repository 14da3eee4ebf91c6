-- ?1 workspace, ?2 channel, ?3 thread, ?4 message id, ?5 whether to answer, ?6 how sure that is, ?7 until when
INSERT INTO judgments (workspace, channel, thread_key, ts_key, should_respond, confidence, until)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (channel, thread_key) DO UPDATE SET
    ts_key = excluded.ts_key,
    should_respond = excluded.should_respond,
    confidence = excluded.confidence,
    until = excluded.until;
