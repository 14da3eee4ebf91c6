-- ?1 workspace, ?2 the most
SELECT DISTINCT m.user_id
FROM channels AS c
JOIN channel_members AS m ON m.channel = c.key
LEFT JOIN users AS u ON u.workspace = c.workspace AND u.id = m.user_id
WHERE c.workspace = ?1 AND c.present = 1 AND m.is_member = 1 AND u.is_guest IS NULL
ORDER BY m.user_id
LIMIT ?2;
