-- ?1 workspace, ?2 whether to return the texts. stored_memories.rs adds the conditions
SELECT m.id, m.scope, m.scope_id, m.memory_type, m.version,
    CASE WHEN ?2 = 1 THEN m.content ELSE '' END,
    m.engine, m.created_at, m.updated_at, m.source_message_count, m.source_latest_key, m.merged_through,
    m.superseded_at,
    COALESCE(NULLIF(c.name, ''), c.id),
    (SELECT COUNT(*) FROM memory_source_messages WHERE memory = m.id),
    (SELECT COUNT(*) FROM memory_source_memories WHERE memory = m.id),
    v.truncated, v.messages, v.covered, v.left_out_other_channels, v.left_out_workspace, v.left_out_messages,
    v.left_out_channel, v.chunks, v.calls, m.origins, c.key, v.refused, v.late, v.unfounded,
    v.records, v.doubtful, v.refused_items
FROM memories AS m
LEFT JOIN memory_coverage AS v ON v.memory = m.id
LEFT JOIN channels AS c ON c.workspace = m.workspace AND c.id = CASE m.scope
    WHEN 1 THEN m.scope_id
    WHEN 2 THEN SUBSTR(m.scope_id, 1, LENGTH(RTRIM(m.scope_id, '0123456789.')) - 1)
END
WHERE m.workspace = ?1
