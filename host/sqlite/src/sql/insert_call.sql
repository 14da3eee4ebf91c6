INSERT INTO llm_calls (workspace, agent, scope, scope_id, memory_type, provider, model, answered_by, input_tokens,
    cached_tokens, output_tokens, started_at, duration, attempts, finish_reason, error, digest, attempt, waits, answer)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20);
