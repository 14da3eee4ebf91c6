-- Short-term versions of channels that are not merged into a long-term one exactly once, but for those of which nothing is left
-- because their messages were edited or deleted before; ?1 is not used.
SELECT v.workspace, v.scope_id, v.version, COUNT(m.id) AS merged, ?1 AS unused
FROM memories AS v
LEFT JOIN memory_source_memories AS s ON s.source = v.id
LEFT JOIN memories AS m ON m.id = s.memory AND m.memory_type = 0 AND m.scope = 1
WHERE v.scope = 1 AND v.memory_type = 1
GROUP BY v.id
HAVING COUNT(m.id) > 1 OR COUNT(m.id) = 0 AND EXISTS (
    SELECT 1 FROM messages AS n WHERE n.news_of = v.id AND n.deleted_at IS NULL
)
