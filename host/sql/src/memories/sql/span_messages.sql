-- ?1 messages, a JSON array of keys, ?2 keys of the place's own channels, or NULL if everything may be seen, ?3 whether what is
-- open elsewhere may be seen
SELECT m.key, m.ts_key, m.user_id, COALESCE(NULLIF(m.author_name, ''), NULLIF(u.name, ''), '(unknown user)'),
    m.is_bot = 1 OR COALESCE(u.is_bot, 0) = 1, m.text
FROM integers(?1) AS wanted
CROSS JOIN messages AS m ON m.key = wanted.value
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
WHERE m.deleted_at IS NULL
    AND (?2 IS NULL OR m.channel IN (SELECT value FROM integers(?2))
        OR (?3 = 1 AND EXISTS (SELECT 1 FROM channel_audience AS a WHERE a.channel = m.channel AND a.is_open = 1)));
