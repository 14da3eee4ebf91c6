-- ?1 workspace, ?2 scope, ?3 scope id, ?4 memory type, ?5 the memory, or NULL if no model made it
UPDATE llm_calls SET waits = 0, answer = NULL, memory = ?5
WHERE waits = 1 AND workspace = ?1 AND scope = ?2 AND scope_id = ?3 AND memory_type = ?4;
