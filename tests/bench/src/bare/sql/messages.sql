-- ?1 channel, ?2 since, ?3 until, ?4 how many of the newest
SELECT m.key, m.ts_key, m.user_id, u.name, m.is_bot, m.text, m.edited_at
FROM (
    SELECT key, workspace, ts_key, user_id, is_bot, text, edited_at FROM messages
    WHERE channel = ?1 AND ts_key BETWEEN ?2 AND ?3 AND deleted_at IS NULL
    ORDER BY ts_key DESC LIMIT ?4
) AS m
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
ORDER BY m.ts_key;
