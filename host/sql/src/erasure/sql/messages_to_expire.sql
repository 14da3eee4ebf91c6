-- ?1 workspace, ?2 the newest key, ?3 the maximum number
SELECT key, channel, thread_key FROM messages
WHERE workspace = ?1 AND ts_key <= ?2 AND deleted_at IS NULL
ORDER BY ts_key, key
LIMIT ?3;
