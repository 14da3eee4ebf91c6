-- ?1 workspace, ?2 keys of the place's own channels, or NULL if everything may be seen, ?3 whether what is open elsewhere may be
-- seen, ?4 channel, or NULL, ?5 until
SELECT i.message, i.kind, i.start, i.length, m.ts_key, c.id, COALESCE(NULLIF(c.name, ''), c.id),
    m.user_id, COALESCE(NULLIF(m.author_name, ''), NULLIF(u.name, ''), '(unknown user)'),
    m.is_bot = 1 OR COALESCE(u.is_bot, 0) = 1, m.text
FROM items AS i
JOIN messages AS m ON m.key = i.message AND m.deleted_at IS NULL
JOIN channels AS c ON c.key = m.channel
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
WHERE m.workspace = ?1 AND m.ts_key <= ?5 AND (?4 IS NULL OR m.channel = ?4)
    AND (?2 IS NULL OR m.channel IN (SELECT value FROM integers(?2))
        OR (?3 = 1 AND EXISTS (SELECT 1 FROM channel_audience AS a WHERE a.channel = m.channel AND a.is_open = 1)))
ORDER BY m.ts_key, c.id, i.start, i.kind;
