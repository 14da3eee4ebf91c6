-- ?1 a workspace's memory. It has merged the imported memories of the channels.
UPDATE memories SET merged_through = (
    SELECT MAX(s.id) FROM memories AS s
    WHERE s.workspace = memories.workspace AND s.scope = 1 AND s.memory_type = memories.memory_type
        AND s.engine = 2 AND s.superseded_at IS NULL
)
WHERE id = ?1;
