-- ?1 workspace, ?2 memory
SELECT attempt FROM llm_calls
WHERE workspace = ?1 AND memory = ?2 AND finish_reason IS NOT NULL
ORDER BY id DESC
LIMIT 1;
