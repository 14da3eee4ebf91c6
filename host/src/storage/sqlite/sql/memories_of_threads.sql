-- ?1 workspace, ?2 `CHANNEL:`, ?3 `CHANNEL;`, the next text after all that begin with the former
SELECT id, scope, scope_id, memory_type, version, content, engine, created_at, updated_at,
    source_message_count, source_latest_key, merged_through
FROM memories
WHERE workspace = ?1 AND scope = 2 AND scope_id >= ?2 AND scope_id < ?3 AND superseded_at IS NULL
ORDER BY scope_id, memory_type, version;
