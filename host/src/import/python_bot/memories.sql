SELECT * FROM memories ORDER BY scope, scope_id, memory_type;
