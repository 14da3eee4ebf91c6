-- ?1 workspace, ?2 start in milliseconds, inclusive, ?3 end, exclusive
WITH answers AS (
    SELECT provider, model, answered_by, input_tokens, cached_tokens, output_tokens
    FROM llm_calls
    WHERE workspace = ?1 AND started_at >= ?2 AND started_at < ?3 AND attempts > 0 AND error IS NULL
    UNION ALL
    SELECT provider, model, model, input_tokens, 0, 0
    FROM embedding_calls
    WHERE workspace = ?1 AND started_at >= ?2 AND started_at < ?3
)
SELECT provider, model, answered_by,
    CAST(COALESCE(SUM(input_tokens) FILTER (WHERE output_tokens IS NOT NULL), 0) AS BIGINT),
    CAST(COALESCE(
        SUM(MIN(COALESCE(cached_tokens, 0), input_tokens)) FILTER (WHERE output_tokens IS NOT NULL), 0
    ) AS BIGINT),
    CAST(COALESCE(SUM(output_tokens) FILTER (WHERE input_tokens IS NOT NULL), 0) AS BIGINT),
    COUNT(*) FILTER (WHERE input_tokens IS NULL OR output_tokens IS NULL)
FROM answers
GROUP BY provider, model, answered_by
ORDER BY provider, model, answered_by;
