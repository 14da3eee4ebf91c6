-- ?1 messages, a JSON array, ?2 now
UPDATE messages SET text = '', author_name = NULL, deleted_at = ?2, expired = 1
WHERE key IN (SELECT value FROM integers(?1));
