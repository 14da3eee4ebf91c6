-- ?1 workspace, ?2 channel, ?3 whether its talk may be shown in other channels
UPDATE llm_calls SET answer = NULL, digest = NULL
WHERE waits = 1 AND workspace = ?1 AND answer IS NOT NULL AND (?3 = 1 OR EXISTS (
    SELECT 1 FROM channels AS c
    WHERE c.key = ?2 AND (llm_calls.scope_id = c.id OR llm_calls.scope_id BETWEEN c.id || ':' AND c.id || ';')
));
