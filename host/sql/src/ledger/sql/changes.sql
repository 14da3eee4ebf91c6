-- ?1 workspace, ?2 keys of the place's own channels, or NULL if everything may be seen, ?3 whether what is open elsewhere may be
-- seen, ?4 channel, or NULL, ?5 until
SELECT h.message, h.kind, h.start, h.field, h.user_id, NULLIF(u.name, ''), h.at, h.value, NULLIF(owner.name, '')
FROM item_changes AS h
JOIN messages AS m ON m.key = h.message AND m.deleted_at IS NULL
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = h.user_id
LEFT JOIN users AS owner ON owner.workspace = m.workspace AND h.field = 1 AND h.value = '@' || owner.id
WHERE m.workspace = ?1 AND h.at <= ?5 AND (?4 IS NULL OR m.channel = ?4)
    AND (?2 IS NULL OR m.channel IN (SELECT value FROM integers(?2))
        OR (?3 = 1 AND EXISTS (SELECT 1 FROM channel_audience AS a WHERE a.channel = m.channel AND a.is_open = 1)))
UNION ALL
-- A person's ✅ on the message of a task or a question says that it is done, as long as it is there.
SELECT i.message, i.kind, i.start, 0, d.user_id, NULLIF(u.name, ''), d.at, 'done', NULL
FROM items AS i
JOIN messages AS m ON m.key = i.message AND m.deleted_at IS NULL
JOIN channels AS c ON c.key = m.channel
JOIN done_marks AS d ON d.channel = m.channel AND d.ts_key = m.ts_key AND d.is_given = 1
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = d.user_id
WHERE i.kind IN (1, 2) AND COALESCE(u.is_bot, 0) = 0
    AND (u.is_guest = 0 OR (u.is_guest IS NULL AND c.members_at = 0 AND c.audience <> 2))
    AND m.workspace = ?1 AND d.at <= ?5 AND (?4 IS NULL OR m.channel = ?4)
    AND (?2 IS NULL OR m.channel IN (SELECT value FROM integers(?2))
        OR (?3 = 1 AND EXISTS (SELECT 1 FROM channel_audience AS a WHERE a.channel = m.channel AND a.is_open = 1)))
UNION ALL
-- A correction replaces what its author picked.
SELECT i.message, i.kind, i.start, 0, '', NULL, s.ts_key, 'superseded', NULL
FROM items AS i
JOIN messages AS m ON m.key = i.message AND m.deleted_at IS NULL
JOIN strikes AS s ON s.workspace = m.workspace AND s.channel = m.channel AND s.struck_key = m.ts_key
WHERE m.workspace = ?1 AND s.ts_key <= ?5 AND (?4 IS NULL OR m.channel = ?4)
    AND (?2 IS NULL OR m.channel IN (SELECT value FROM integers(?2))
        OR (?3 = 1 AND EXISTS (SELECT 1 FROM channel_audience AS a WHERE a.channel = m.channel AND a.is_open = 1)))
ORDER BY 1, 7, 4;
