-- The oldest message that only a backfill takes in. ?1 workspace
SELECT MIN(ts_key) FROM (
    SELECT b.oldest_new_key AS ts_key FROM backlog AS b
    JOIN channels AS c ON c.key = b.channel AND c.present = 1
    WHERE b.workspace = ?1 AND b.thread_key = 0 AND b.short_term_id = 0
    UNION ALL
    SELECT (
        SELECT m.ts_key FROM messages AS m
        WHERE m.channel = c.key AND m.news_of = 0 AND m.deleted_at IS NULL
        ORDER BY m.ts_key LIMIT 1
    )
    FROM channels AS c INDEXED BY channels_with_history
    WHERE c.workspace = ?1 AND c.has_history = 1 AND c.present = 1
) AS history;
