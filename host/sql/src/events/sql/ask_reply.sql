-- A mention. A repeated mention changes nothing, unless it has another time or thread.
-- ?1 workspace, ?2 channel, ?3 message id, ?4 thread, ?5 time
INSERT INTO replies (workspace, channel, ts_key, thread_key, kind, state, asked_at)
VALUES (?1, ?2, ?3, ?4, 0, CASE WHEN EXISTS (
    SELECT 1 FROM messages WHERE channel = ?2 AND ts_key = ?3 AND deleted_at IS NOT NULL
) THEN 3 ELSE 0 END, ?5)
ON CONFLICT (channel, ts_key) DO UPDATE SET
    asked_at = MIN(replies.asked_at, excluded.asked_at),
    thread_key = COALESCE(
        MIN(replies.thread_key, excluded.thread_key), replies.thread_key, excluded.thread_key
    )
WHERE replies.kind = 0 AND replies.state IN (0, 3) AND NOT EXISTS (
    SELECT 1 FROM reply_parts AS p WHERE p.channel = replies.channel AND p.ts_key = replies.ts_key
);
