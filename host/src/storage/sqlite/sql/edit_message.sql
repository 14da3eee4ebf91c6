-- ?1 channel, ?2 message id, ?3 author name, ?4 text, ?5 time of the edit
UPDATE messages SET author_name = ?3, text = ?4, edited_at = ?5
WHERE channel = ?1 AND ts_key = ?2 AND deleted_at IS NULL AND COALESCE(edited_at, -1) < ?5;
