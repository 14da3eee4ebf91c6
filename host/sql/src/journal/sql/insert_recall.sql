-- A call for which a current text was reused and no model was asked. ?1 the call that made the text, ?2 digest, ?3 time
INSERT INTO llm_calls (workspace, agent, scope, scope_id, memory_type, provider, model, answered_by, input_tokens,
    cached_tokens, output_tokens, started_at, duration, attempts, finish_reason, digest, attempt, waits)
SELECT workspace, agent, scope, scope_id, memory_type, provider, model, answered_by, 0, 0, 0, ?3, 0, 0, finish_reason,
    ?2, ?2, 1
FROM llm_calls
WHERE id = ?1;
