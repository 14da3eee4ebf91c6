-- ?1 workspace
SELECT c.id, c.name, m.id, m.content, m.source_message_count, m.source_latest_key, c.key
FROM memories AS m
JOIN channels AS c ON c.workspace = m.workspace AND c.id = m.scope_id
WHERE m.workspace = ?1 AND m.scope = 1 AND m.memory_type = 0 AND m.superseded_at IS NULL
ORDER BY c.name, c.id;
