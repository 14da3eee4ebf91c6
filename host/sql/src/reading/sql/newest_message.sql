-- newest_message
-- ?1 workspace, ?2 latest id
SELECT ts_key FROM messages
WHERE workspace = ?1 AND ts_key <= ?2 AND deleted_at IS NULL
ORDER BY ts_key DESC LIMIT 1;
