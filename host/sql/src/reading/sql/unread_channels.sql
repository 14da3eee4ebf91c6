-- ?1 workspace, ?2 now. There are at most as many rows as channels. A retry is at most an hour ahead: a later time was
-- stored while the clock was ahead.
SELECT c.id, u.since
FROM unread_channels AS u JOIN channels AS c ON c.key = u.channel
WHERE u.workspace = ?1 AND (u.next_try_at <= ?2 OR u.next_try_at > ?2 + 3600)
ORDER BY COALESCE(u.since, 9223372036854775807),
    COALESCE((SELECT MAX(m.ts_key) FROM messages AS m WHERE m.channel = c.key), 0) DESC, c.id;
