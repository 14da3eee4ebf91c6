-- The next id of the sequence, which would else give the new id once more. ?1 call
UPDATE llm_calls SET id = DEFAULT WHERE id = ?1;
