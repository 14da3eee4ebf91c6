-- ?1 channel, ?2 thread
-- This uses joins and no unions: a temporary table would cost more than everything else.
INSERT INTO backlog
    (workspace, channel, thread_key, first_reply_key, newest_key, oldest_new_key, new_count,
    watermark, short_term_id, merged_through)
SELECT
    workspace,
    ?1,
    ?2,
    first_reply,
    COALESCE(MAX(first, newest_reply), first, newest_reply),
    COALESCE(MIN(new_first, oldest_new_reply), new_first, oldest_new_reply),
    new_replies + CASE WHEN new_first IS NOT NULL THEN 1 ELSE 0 END,
    watermark,
    short_term_id,
    0
FROM (
    SELECT
        c.workspace,
        COALESCE(s.source_latest_key, -1) AS watermark,
        COALESCE(s.id, 0) AS short_term_id,
        f.ts_key AS first,
        CASE WHEN f.ts_key > COALESCE(s.source_latest_key, -1) THEN f.ts_key END AS new_first,
        MIN(r.ts_key) AS first_reply,
        MAX(r.ts_key) AS newest_reply,
        MIN(CASE WHEN r.ts_key > COALESCE(s.source_latest_key, -1) THEN r.ts_key END) AS oldest_new_reply,
        COUNT(CASE WHEN r.ts_key > COALESCE(s.source_latest_key, -1) THEN 1 END) AS new_replies
    FROM channels AS c
    LEFT JOIN memories AS s ON s.id = (
        SELECT n.id FROM memories AS n
        WHERE n.workspace = c.workspace AND n.scope = 2
            AND n.scope_id = c.id || ':' || CAST(?2 / 1000000 AS TEXT) || '.'
                || SUBSTR(CAST(1000000 + ?2 % 1000000 AS TEXT), 2)
            AND n.memory_type = 1 AND n.superseded_at IS NULL AND n.version > 0 AND n.origins IS NOT NULL
        ORDER BY n.version DESC LIMIT 1
    )
    LEFT JOIN messages AS f ON f.channel = c.key AND f.ts_key = ?2 AND f.deleted_at IS NULL
    LEFT JOIN messages AS r ON r.channel = c.key AND r.thread_key = ?2 AND r.deleted_at IS NULL
    WHERE c.key = ?1
    GROUP BY c.key, s.id, f.key
) AS counted
WHERE short_term_id > 0 OR first_reply IS NOT NULL
ON CONFLICT (channel, thread_key) DO UPDATE SET
    first_reply_key = excluded.first_reply_key,
    newest_key = excluded.newest_key,
    oldest_new_key = excluded.oldest_new_key,
    new_count = excluded.new_count,
    watermark = excluded.watermark,
    short_term_id = excluded.short_term_id,
    merged_through = excluded.merged_through;
