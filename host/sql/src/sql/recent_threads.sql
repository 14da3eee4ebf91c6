-- ?1 workspace, ?2 since, ?3 limit
SELECT c.id, m.thread_key, MAX(m.ts_key) AS newest
FROM messages AS m INDEXED BY messages_by_time
JOIN channels AS c ON c.key = m.channel AND c.present = 1
WHERE m.workspace = ?1 AND m.deleted_at IS NULL AND m.ts_key >= ?2 AND m.thread_key IS NOT NULL
GROUP BY c.key, m.thread_key
ORDER BY newest DESC, c.id, m.thread_key LIMIT ?3;
