-- ?1 workspace, ?2 state or NULL, ?3 limit
SELECT c.id, COALESCE(NULLIF(c.name, ''), c.id), r.ts_key, r.kind, r.state, r.asked_at, r.next_try_at, r.failures, r.error
FROM replies AS r INDEXED BY replies_by_time
JOIN channels AS c ON c.key = r.channel
WHERE r.workspace = ?1 AND (?2 IS NULL OR r.state = ?2)
ORDER BY r.asked_at DESC, r.ts_key DESC LIMIT ?3;
