-- ?1 workspace, ?2 the bits of a message's key in a row of the index, ?3 whether its vectors are those that are asked for
SELECT
    COUNT(*) FILTER (WHERE v.vector IS NOT NULL AND ?3 = 1),
    COUNT(*) FILTER (WHERE v.vector IS NULL OR ?3 = 0)
FROM messages AS m
LEFT JOIN message_vectors AS v ON v.row = m.channel * 68719476736 + m.key
WHERE m.workspace = ?1 AND m.deleted_at IS NULL AND (v.row IS NOT NULL OR ?3 = 0
    OR m.key > COALESCE((SELECT offered_to FROM embedders WHERE workspace = ?1), 0));
