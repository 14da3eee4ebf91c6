-- ?1 call
UPDATE llm_calls SET id = (SELECT MAX(id) + 1 FROM llm_calls) WHERE id = ?1;
