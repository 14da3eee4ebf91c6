-- ?1 workspace, ?2 memories, a JSON array, ?3 until, ?4 the same in seconds
SELECT m.id, m.scope, m.scope_id, m.memory_type, m.version, m.content, m.engine, m.created_at, m.updated_at,
    m.source_message_count, m.source_latest_key, m.merged_through, m.origins, i.terms
FROM integers(?2) AS wanted
CROSS JOIN memories AS m ON m.id = wanted.value
CROSS JOIN memory_index AS i ON i.rowid = m.id
WHERE m.workspace = ?1 AND m.superseded_at IS NULL AND m.updated_at <= ?4 AND COALESCE(m.source_latest_key, 0) <= ?3;
