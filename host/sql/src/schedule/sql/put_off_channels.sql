-- put_off_channels
-- ?1 workspace, ?2 now, ?3 latest possible time of a next try, ?4 limit
SELECT c.id, u.next_try_at, u.tries
FROM unread_channels AS u JOIN channels AS c ON c.key = u.channel
WHERE u.workspace = ?1 AND u.next_try_at > ?2 AND u.next_try_at <= ?3
ORDER BY u.next_try_at, c.id LIMIT ?4;
