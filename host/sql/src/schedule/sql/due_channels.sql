-- ?1 workspace, ?2 until, ?3 window start, ?4 idle since, ?5 message threshold, ?6 always
-- A superset: these columns also include messages after `until`. Each part reads its own index.
SELECT channel FROM (
    -- Conversations that have ended.
    SELECT channel FROM backlog INDEXED BY backlog_channel_waits
    WHERE workspace = ?1 AND thread_key = 0 AND short_term_id > 0 AND oldest_new_key IS NOT NULL
        AND newest_key <= MIN(?2, ?4)
    UNION
    -- Conversations that may have ended at `until`: only a backfill finds any.
    SELECT channel FROM backlog INDEXED BY backlog_channel_waits
    WHERE workspace = ?1 AND thread_key = 0 AND short_term_id > 0
        AND newest_key > ?2 AND oldest_new_key <= MIN(?2, ?4)
    UNION
    SELECT channel FROM backlog INDEXED BY backlog_channel_waits
    WHERE ?6 = 1 AND workspace = ?1 AND thread_key = 0 AND short_term_id > 0 AND oldest_new_key <= ?2
    UNION
    SELECT channel FROM backlog INDEXED BY backlog_channel_many
    WHERE workspace = ?1 AND thread_key = 0 AND short_term_id > 0
        AND new_count >= MAX(?5, 1) AND oldest_new_key <= ?2
    UNION
    SELECT channel FROM backlog INDEXED BY backlog_channel_never
    WHERE workspace = ?1 AND thread_key = 0 AND short_term_id = 0
        AND newest_key >= ?3 AND oldest_new_key <= ?2
    UNION
    -- Channels whose first version begins before the window.
    SELECT b.channel FROM channels AS c INDEXED BY channels_first_version
    JOIN backlog AS b ON b.channel = c.key AND b.thread_key = 0
    WHERE c.workspace = ?1 AND c.history_through IS NOT NULL AND b.short_term_id = 0
        AND b.newest_key > c.history_through AND b.oldest_new_key <= ?2
    UNION
    -- Channels whose memories have lost lines.
    SELECT b.channel FROM channels AS c INDEXED BY channels_with_lost_lines
    JOIN backlog AS b ON b.channel = c.key AND b.thread_key = 0
    WHERE c.workspace = ?1 AND c.lost_lines = 1 AND b.short_term_id > 0 AND b.oldest_new_key <= ?2
    UNION
    SELECT channel FROM backlog INDEXED BY backlog_channel_unmerged
    WHERE workspace = ?1 AND thread_key = 0 AND short_term_id > merged_through
) AS waiting
WHERE EXISTS (SELECT 1 FROM channels WHERE key = waiting.channel AND present = 1
    AND (is_private = 0 OR is_behind = 0));
