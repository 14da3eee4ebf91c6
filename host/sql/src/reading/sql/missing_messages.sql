-- A retry is at most 6 hours ahead: a later time was stored while the clock was ahead. ?1 workspace, ?2 now, ?3 limit
SELECT c.id, m.ts_key, m.thread_key
FROM missing_messages AS m INDEXED BY missing_messages_due
JOIN channels AS c ON c.key = m.channel
WHERE m.workspace = ?1 AND (m.next_try_at <= ?2 OR m.next_try_at > ?2 + 21600)
ORDER BY m.next_try_at, m.channel, m.ts_key LIMIT ?3;
