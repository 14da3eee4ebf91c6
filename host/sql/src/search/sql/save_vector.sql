-- ?1 workspace, ?2 key of a message, ?3 the text that the vector was made of, ?4 the vector; empty for none
INSERT INTO message_vectors (row, vector)
SELECT channel * 68719476736 + key, ?4
FROM messages
WHERE key = ?2 AND workspace = ?1 AND deleted_at IS NULL AND text = ?3
ON CONFLICT (row) DO UPDATE SET vector = excluded.vector;
