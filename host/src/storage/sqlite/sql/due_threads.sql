-- ?1 workspace, ?2 until, ?3 window start
-- A superset, as for channels.
SELECT channel, thread_key FROM backlog INDEXED BY backlog_thread_waits
WHERE workspace = ?1 AND thread_key > 0 AND short_term_id > 0
    AND oldest_new_key <= ?2 AND first_reply_key <= ?2
UNION ALL
SELECT channel, thread_key FROM backlog INDEXED BY backlog_thread_never
WHERE workspace = ?1 AND thread_key > 0 AND short_term_id = 0
    AND newest_key >= ?3 AND first_reply_key <= ?2;
