-- An unasked answer has no row yet. ?1 workspace, ?2 channel, ?3 message id, ?4 thread, ?5 kind, ?6 now
INSERT INTO replies (workspace, channel, ts_key, thread_key, kind, state, asked_at)
VALUES (?1, ?2, ?3, ?4, ?5, CASE WHEN EXISTS (
    SELECT 1 FROM messages WHERE channel = ?2 AND ts_key = ?3 AND deleted_at IS NOT NULL
) THEN 3 ELSE 0 END, ?6)
ON CONFLICT DO NOTHING;
