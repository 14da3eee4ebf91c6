-- A call whose answer is taken again becomes the newest. ?1 call
UPDATE llm_calls SET id = (SELECT MAX(id) + 1 FROM llm_calls) WHERE id = ?1;
