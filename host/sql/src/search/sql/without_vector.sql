-- ?1 workspace, ?2 the bits of a message's key in a row of the index, ?3 limit
SELECT m.key, m.text
FROM message_vectors AS v
JOIN messages AS m ON m.key = v.row & ?2
WHERE v.vector IS NULL AND m.workspace = ?1 AND m.deleted_at IS NULL
UNION
SELECT key, text FROM (
    SELECT key, text
    FROM messages
    WHERE workspace = ?1 AND deleted_at IS NULL
        AND key > (SELECT offered_to FROM embedders WHERE workspace = ?1)
    ORDER BY key
    LIMIT ?3
) AS offered
ORDER BY key
LIMIT ?3;
