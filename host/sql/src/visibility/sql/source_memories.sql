-- ?1 memory
SELECT m.id, m.scope, m.scope_id, m.memory_type, m.version, m.updated_at, m.superseded_at IS NOT NULL, m.origins
FROM memory_source_memories AS s
JOIN memories AS m ON m.id = s.source
WHERE s.memory = ?1
ORDER BY m.id;
