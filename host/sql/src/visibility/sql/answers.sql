-- Posted answers, the newest question first. ?1 workspace, ?2 whether they were good by somebody, 0 or 1; NULL for any
SELECT c.id, COALESCE(NULLIF(c.name, ''), c.id), m.ts_key,
    COALESCE(NULLIF(m.author_name, ''), NULLIF(u.name, ''), '(unknown user)'),
    m.text, m.deleted_at IS NOT NULL, m.channel, r.kind = 1
FROM replies AS r
JOIN messages AS m ON m.channel = r.channel AND m.ts_key = r.ts_key
JOIN channels AS c ON c.key = r.channel
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
WHERE r.workspace = ?1 AND r.state = 1 AND (?2 IS NULL OR EXISTS (
    SELECT 1 FROM reply_parts AS p
    JOIN feedback AS f ON f.channel = p.channel AND f.posted_key = p.posted_key
    WHERE p.channel = r.channel AND p.ts_key = r.ts_key AND f.is_good = ?2 AND f.is_given = 1
))
ORDER BY r.asked_at DESC, r.ts_key DESC;
