-- Messages that are or were kept, oldest first. ?1 workspace, ?2 a user's id, ?3 a channel's id, ?4 the newest key; NULL for any
SELECT c.id, m.ts_key
FROM messages AS m JOIN channels AS c ON c.key = m.channel
WHERE m.workspace = ?1 AND (m.deleted_at IS NULL OR m.expired = 1)
    AND (?2 IS NULL OR m.user_id = ?2) AND (?3 IS NULL OR c.id = ?3) AND (?4 IS NULL OR m.ts_key <= ?4)
ORDER BY m.ts_key, c.key;
