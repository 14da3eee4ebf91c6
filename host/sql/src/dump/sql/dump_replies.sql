-- ?1 workspace
SELECT c.id AS channel, r.ts_key AS ts, r.thread_key AS thread, r.kind, r.state, r.asked_at
FROM channels AS c
JOIN replies AS r ON r.channel = c.key
WHERE c.workspace = ?1
ORDER BY c.id, r.ts_key;
