-- ?1 memory
SELECT c.id, COALESCE(NULLIF(c.name, ''), c.id), m.ts_key,
    COALESCE(NULLIF(m.author_name, ''), NULLIF(u.name, ''), '(unknown user)'),
    m.text, m.deleted_at IS NOT NULL, m.channel
FROM memory_source_messages AS s
JOIN messages AS m ON m.key = s.message
JOIN channels AS c ON c.key = m.channel
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
WHERE s.memory = ?1
ORDER BY m.ts_key, c.id;
