-- judgments_under_way
-- ?1 workspace, ?2 now, ?3 latest possible end of a judgment, ?4 limit
SELECT c.id, j.thread_key, j.until FROM judgments AS j
JOIN channels AS c ON c.key = j.channel
WHERE j.workspace = ?1 AND j.until > ?2 AND j.until <= ?3
ORDER BY j.until, c.id, j.thread_key LIMIT ?4;
