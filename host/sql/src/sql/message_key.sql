-- ?1 workspace, ?2 channel id, ?3 message id
SELECT m.key FROM channels AS c JOIN messages AS m ON m.channel = c.key AND m.ts_key = ?3
WHERE c.workspace = ?1 AND c.id = ?2;
