-- waiting_messages
-- ?1 workspace, ?2 now, ?3 latest possible time of a next try, ?4 limit
SELECT c.id, m.ts_key, m.next_try_at, m.tries
FROM missing_messages AS m INDEXED BY missing_messages_due
JOIN channels AS c ON c.key = m.channel
WHERE m.workspace = ?1 AND m.next_try_at > ?2 AND m.next_try_at <= ?3
ORDER BY m.next_try_at, m.channel, m.ts_key LIMIT ?4;
