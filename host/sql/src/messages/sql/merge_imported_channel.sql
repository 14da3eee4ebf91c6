-- ?1 a channel's long-term memory. It has merged the imported short-term memory.
UPDATE memories SET merged_through = (
    SELECT MAX(s.id) FROM memories AS s INDEXED BY memories_current
    WHERE s.workspace = memories.workspace AND s.scope = 1 AND s.scope_id = memories.scope_id
        AND s.memory_type = 1 AND s.engine = 2 AND s.superseded_at IS NULL
)
WHERE id = ?1;
