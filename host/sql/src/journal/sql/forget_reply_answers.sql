-- ?1 workspace, ?2 scope, ?3 scope id
UPDATE llm_calls SET waits = 0, answer = NULL
WHERE waits = 1 AND workspace = ?1 AND scope = ?2 AND scope_id = ?3 AND memory_type IS NULL;
