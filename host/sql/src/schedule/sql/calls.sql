-- ?1 workspace, ?2 start in milliseconds, inclusive, ?3 end, exclusive
SELECT l.agent, l.scope, l.scope_id, l.memory_type, COALESCE(NULLIF(c.name, ''), c.id), l.provider, l.model,
    l.answered_by, l.started_at, l.duration, l.attempts, l.input_tokens, l.cached_tokens, l.output_tokens,
    l.finish_reason, l.error, l.digest
FROM llm_calls AS l
LEFT JOIN channels AS c ON c.workspace = l.workspace AND c.id = CASE l.scope
    WHEN 1 THEN l.scope_id
    WHEN 2 THEN SUBSTR(l.scope_id, 1, LENGTH(RTRIM(l.scope_id, '0123456789.')) - 1)
END
WHERE l.workspace = ?1 AND l.started_at >= ?2 AND l.started_at < ?3
ORDER BY l.started_at, l.id;
