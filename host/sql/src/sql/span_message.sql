-- ?1 workspace, ?2 channel id, ?3 message id, ?4 keys of the place's own channels, or NULL if everything may be seen, ?5
-- whether what is open elsewhere may be seen
SELECT m.ts_key, m.user_id, COALESCE(NULLIF(m.author_name, ''), NULLIF(u.name, ''), '(unknown user)'),
    m.is_bot = 1 OR COALESCE(u.is_bot, 0) = 1, m.text
FROM channels AS c
JOIN messages AS m ON m.channel = c.key AND m.ts_key = ?3
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
WHERE c.workspace = ?1 AND c.id = ?2 AND m.deleted_at IS NULL
    AND (?4 IS NULL OR c.key IN (SELECT value FROM integers(?4))
        OR (?5 = 1 AND EXISTS (SELECT 1 FROM channel_audience AS a WHERE a.channel = c.key AND a.is_open = 1)));
