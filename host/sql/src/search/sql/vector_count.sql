-- ?1 workspace, ?2 the bit of the generation, ?3 the newest message that the embedder was offered; -1 for an unknown embedder
SELECT
    COUNT(*) FILTER (WHERE v.vector IS NOT NULL AND ?3 >= 0),
    COUNT(*) FILTER (WHERE v.vector IS NULL OR ?3 < 0)
FROM messages AS m
LEFT JOIN message_vectors AS v ON v.row = m.channel * 68719476736 + m.key + ?2
WHERE m.workspace = ?1 AND m.deleted_at IS NULL AND (v.row IS NOT NULL OR m.key > ?3);
