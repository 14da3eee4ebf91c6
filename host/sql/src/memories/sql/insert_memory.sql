INSERT INTO memories (workspace, scope, scope_id, memory_type, version, content, engine, created_at, updated_at,
    source_message_count, source_latest_key, merged_through, origins, handed_known)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13,
    CASE WHEN ?13 IS NOT NULL THEN 1 ELSE 0 END)
RETURNING id;
