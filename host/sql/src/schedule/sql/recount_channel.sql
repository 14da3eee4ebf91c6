-- ?1 channel
INSERT INTO backlog
    (workspace, channel, thread_key, newest_key, oldest_new_key, new_count, watermark, short_term_id, merged_through)
SELECT
    workspace,
    ?1,
    0,
    (
        SELECT ts_key FROM messages
        WHERE channel = ?1 AND deleted_at IS NULL
        ORDER BY ts_key DESC LIMIT 1
    ),
    CASE WHEN short_term_id > 0 THEN (
        SELECT ts_key FROM messages INDEXED BY messages_waiting
        WHERE channel = ?1 AND news_of IS NULL AND deleted_at IS NULL
        ORDER BY ts_key LIMIT 1
    ) ELSE (
        SELECT ts_key FROM messages
        WHERE channel = ?1 AND deleted_at IS NULL
        ORDER BY ts_key LIMIT 1
    ) END,
    CASE WHEN short_term_id > 0 THEN (
        SELECT COUNT(*) FROM messages INDEXED BY messages_waiting
        WHERE channel = ?1 AND news_of IS NULL AND deleted_at IS NULL
    ) ELSE (
        SELECT COUNT(*) FROM messages WHERE channel = ?1
    ) - (
        SELECT COUNT(*) FROM messages WHERE channel = ?1 AND deleted_at IS NOT NULL
    ) END,
    watermark,
    short_term_id,
    merged_through
FROM (
    SELECT
        c.workspace,
        COALESCE(s.source_latest_key, -1) AS watermark,
        COALESCE(s.id, 0) AS short_term_id,
        COALESCE(l.merged_through, 0) AS merged_through
    FROM channels AS c
    LEFT JOIN memories AS s ON s.id = (
        SELECT n.id FROM memories AS n
        WHERE n.workspace = c.workspace AND n.scope = 1 AND n.scope_id = c.id
            AND n.memory_type = 1 AND n.superseded_at IS NULL AND n.version > 0 AND n.origins IS NOT NULL
        ORDER BY n.version DESC LIMIT 1
    )
    LEFT JOIN memories AS l ON l.id = (
        SELECT n.id FROM memories AS n
        WHERE n.workspace = c.workspace AND n.scope = 1 AND n.scope_id = c.id
            AND n.memory_type = 0 AND n.superseded_at IS NULL AND n.version > 0 AND n.origins IS NOT NULL
        ORDER BY n.version DESC LIMIT 1
    )
    WHERE c.key = ?1
) AS counted
WHERE true
ON CONFLICT (channel, thread_key) DO UPDATE SET
    newest_key = excluded.newest_key,
    oldest_new_key = excluded.oldest_new_key,
    new_count = excluded.new_count,
    watermark = excluded.watermark,
    short_term_id = excluded.short_term_id,
    merged_through = excluded.merged_through;
