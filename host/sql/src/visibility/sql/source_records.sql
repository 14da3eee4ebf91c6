-- ?1 memory. Messages as in source_messages.sql, and which part of each is kept
SELECT c.id, COALESCE(NULLIF(c.name, ''), c.id), m.ts_key,
    COALESCE(NULLIF(m.author_name, ''), NULLIF(u.name, ''), '(unknown user)'),
    m.text, 0, m.channel, r.start, r.length
FROM memory_records AS r
JOIN memories AS t ON t.id = r.memory AND t.superseded_at IS NULL
JOIN messages AS m ON m.key = r.message AND m.deleted_at IS NULL
JOIN channels AS c ON c.key = m.channel
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
WHERE r.memory = ?1
ORDER BY m.ts_key, c.id, r.start;
