-- ?1 workspace, ?2 scope ids as a JSON array, ?3 the last second in which they were made
SELECT id, scope, scope_id, memory_type, version, content, engine, created_at, updated_at,
    source_message_count, source_latest_key, merged_through, origins
FROM memories
WHERE workspace = ?1 AND scope = 2 AND scope_id IN (SELECT value FROM texts(?2)) AND superseded_at IS NULL
    AND updated_at <= ?3
ORDER BY scope_id, memory_type, version;
