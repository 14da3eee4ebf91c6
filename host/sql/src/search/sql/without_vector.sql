-- ?1 workspace, ?2 the bits of a message's key in a vector's row, ?3 limit, ?4 the bit of the generation, ?5 the newest message
-- that the embedder was offered
SELECT m.key, COALESCE(NULLIF(m.author_name, ''), NULLIF(u.name, ''), ''), m.text
FROM (
    SELECT v.row & ?2 AS key
    FROM message_vectors AS v
    WHERE v.vector IS NULL AND v.row & (?2 + 1) = ?4
    UNION
    SELECT key FROM (
        SELECT key
        FROM messages
        WHERE workspace = ?1 AND deleted_at IS NULL
            AND key > ?5
        ORDER BY key
        LIMIT ?3
    ) AS offered
) AS wanted
JOIN messages AS m ON m.key = wanted.key
LEFT JOIN users AS u ON u.workspace = m.workspace AND u.id = m.user_id
WHERE m.workspace = ?1 AND m.deleted_at IS NULL
ORDER BY m.key
LIMIT ?3;
