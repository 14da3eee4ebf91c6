-- The text that an attempt with this first input made, if it is current and was made in one piece.
-- ?1 workspace, ?2 scope, ?3 scope id, ?4 memory type, ?5 attempt
SELECT c.id, m.content, v.truncated, c.answered_by
FROM llm_calls AS c
JOIN memories AS m ON m.id = c.memory
JOIN memory_coverage AS v ON v.memory = m.id
WHERE c.attempt = ?5 AND c.memory IS NOT NULL AND c.finish_reason IS NOT NULL
    AND c.workspace = ?1 AND c.scope = ?2 AND c.scope_id = ?3 AND c.memory_type = ?4
    AND m.superseded_at IS NULL AND m.origins IS NOT NULL AND v.chunks = 1
    -- The memory was made from the newest answer.
    AND c.id = (SELECT MAX(id) FROM llm_calls WHERE memory = m.id AND finish_reason IS NOT NULL)
ORDER BY c.id DESC
LIMIT 1;
