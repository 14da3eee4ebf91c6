-- ?1 workspace, ?2 Unix seconds, exclusive, ?3 how many at most
DELETE FROM llm_calls WHERE id IN (
    SELECT c.id FROM llm_calls AS c
    LEFT JOIN memories AS m ON m.id = c.memory
    WHERE c.workspace = ?1 AND c.started_at < ?2 * 1000 AND (m.id IS NULL OR m.superseded_at IS NOT NULL)
    ORDER BY c.started_at
    LIMIT ?3
);
