-- Where the bot has come back into a private channel, answers wait until it has read what it missed.
-- ?1 workspace, ?2 now, ?3 limit, ?4 latest possible time of a next try
SELECT c.id, r.ts_key, r.thread_key, r.kind, r.asked_at, r.failures, EXISTS (
    SELECT 1 FROM reply_parts AS p WHERE p.channel = r.channel AND p.ts_key = r.ts_key
)
FROM replies AS r INDEXED BY replies_waiting
JOIN channels AS c ON c.key = r.channel
WHERE r.workspace = ?1 AND r.state = 0 AND (r.next_try_at <= ?2 OR r.next_try_at > ?4)
    AND (c.present = 0 OR c.is_behind = 0 OR c.is_private = 0)
ORDER BY r.asked_at, r.ts_key LIMIT ?3;
