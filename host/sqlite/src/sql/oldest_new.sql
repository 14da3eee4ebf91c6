-- ?1 workspace, ?2 whether only channels without a short-term memory count
SELECT MIN(oldest_new_key) FROM backlog
WHERE workspace = ?1 AND thread_key = 0 AND (NOT ?2 OR short_term_id = 0)
    AND EXISTS (SELECT 1 FROM channels WHERE key = backlog.channel AND present = 1);
