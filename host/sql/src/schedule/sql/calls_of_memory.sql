-- ?1 workspace, ?2 memory
SELECT l.agent, l.scope, l.scope_id, l.memory_type, NULL, l.provider, l.model, l.answered_by, l.started_at, l.duration,
    l.attempts, l.input_tokens, l.cached_tokens, l.output_tokens, l.finish_reason, l.error, l.digest
FROM llm_calls AS l
WHERE l.workspace = ?1 AND l.memory = ?2
ORDER BY l.id;
