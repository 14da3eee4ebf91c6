-- deferred_replies
-- ?1 workspace, ?2 now, ?3 latest possible time of a next try, ?4 limit
SELECT c.id, r.ts_key, r.kind, r.next_try_at, r.failures FROM replies AS r INDEXED BY replies_waiting
JOIN channels AS c ON c.key = r.channel
WHERE r.workspace = ?1 AND r.state = 0 AND r.next_try_at > ?2 AND r.next_try_at <= ?3
ORDER BY r.next_try_at, r.ts_key LIMIT ?4;
