-- A channel's memory says itself from which of the channel's memories it was made: its call was also given those that it
-- replaces. ?1 memory, ?2 memories, a JSON array, ?3 the id of the channel if it is a channel's
INSERT INTO handed_memories (source, memory)
SELECT m.id, ?1
FROM integers(?2) AS given
CROSS JOIN memories AS m ON m.id = given.value
WHERE NOT (?3 IS NOT NULL AND m.scope = 1 AND m.scope_id = ?3)
    AND NOT EXISTS (SELECT 1 FROM memory_source_memories AS s WHERE s.memory = ?1 AND s.source = m.id)
ON CONFLICT DO NOTHING;
