-- ?1 workspace, ?2 until, ?3 window start
-- A superset, as for channels.
SELECT channel, thread_key FROM (
    SELECT channel, thread_key FROM backlog INDEXED BY backlog_thread_waits
    WHERE workspace = ?1 AND thread_key > 0 AND short_term_id > 0
        AND oldest_new_key <= ?2 AND first_reply_key <= ?2
    UNION
    SELECT channel, thread_key FROM backlog INDEXED BY backlog_thread_never
    WHERE workspace = ?1 AND thread_key > 0 AND short_term_id = 0
        AND newest_key >= ?3 AND first_reply_key <= ?2
    UNION
    -- Threads that have changed since their memory was made.
    SELECT channel, thread_key FROM changed_threads
    WHERE workspace = ?1 AND changed_at < ?2 / 1000000
) AS waiting
WHERE EXISTS (SELECT 1 FROM channels WHERE key = waiting.channel AND present = 1
    AND (is_private = 0 OR is_behind = 0));
