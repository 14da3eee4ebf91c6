-- People and programs, and authors of whom nothing else is known. ?1 workspace
SELECT id, name, is_bot FROM users WHERE workspace = ?1
UNION ALL
SELECT DISTINCT m.user_id, m.user_id, m.is_bot
FROM messages AS m
WHERE m.workspace = ?1 AND m.user_id <> ''
    AND NOT EXISTS (SELECT 1 FROM users AS u WHERE u.workspace = ?1 AND u.id = m.user_id)
ORDER BY 2, 1, 3;
