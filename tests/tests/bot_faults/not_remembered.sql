-- Channels with messages of which no memory was made, and long-term memories that the workspace's has not merged.
SELECT (SELECT COUNT(*) FROM backlog WHERE thread_key = 0 AND short_term_id = 0 AND newest_key > 0)
    + (SELECT COUNT(*) FROM backlog WHERE thread_key = 0 AND short_term_id > merged_through)
