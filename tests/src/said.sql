-- The messages of a channel as people see them, oldest first, with their authors' names.
SELECT m.ts_key, m.thread_key, COALESCE(m.author_name, u.name, '') AS author, m.text
FROM messages AS m
JOIN channels AS c ON c.key = m.channel
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
WHERE c.id = ?1 AND m.deleted_at IS NULL
ORDER BY m.ts_key
