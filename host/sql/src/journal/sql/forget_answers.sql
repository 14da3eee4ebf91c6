-- ?1 workspace, ?2 scope, ?3 scope id, ?4 memory type, NULL for an answer to people, ?5 1: they were made from what is gone
UPDATE llm_calls SET answer = NULL, digest = CASE WHEN ?5 = 1 THEN NULL ELSE digest END
WHERE waits = 1 AND workspace = ?1 AND scope = ?2 AND scope_id = ?3 AND memory_type IS NOT DISTINCT FROM ?4;
