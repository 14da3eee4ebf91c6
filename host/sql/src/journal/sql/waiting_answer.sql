-- ?1 workspace, ?2 scope, ?3 scope id, ?4 memory type or NULL for a reply, ?5 digest
SELECT id, answer, finish_reason, answered_by, input_tokens, output_tokens
FROM llm_calls
WHERE waits = 1 AND workspace = ?1 AND scope = ?2 AND scope_id = ?3 AND memory_type IS NOT DISTINCT FROM ?4
    AND digest = ?5 AND answer IS NOT NULL
ORDER BY id DESC
LIMIT 1;
