-- ?1 workspace, ?2 after
SELECT ts_key FROM messages
WHERE workspace = ?1 AND ts_key > ?2 AND deleted_at IS NULL
ORDER BY ts_key LIMIT 1;
