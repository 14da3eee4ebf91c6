-- Inputs that the model was asked for more than once, with an answer each time: for what, and when.
SELECT 'agent ' || agent || ', ' || scope_id || ', memory ' || COALESCE(memory_type, 'none') || ', at '
    || group_concat(started_at)
FROM llm_calls
WHERE digest IS NOT NULL AND error IS NULL AND attempts > 0
GROUP BY digest HAVING COUNT(*) > 1;
