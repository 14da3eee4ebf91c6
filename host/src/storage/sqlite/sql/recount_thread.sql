-- ?1 channel, ?2 thread
WITH
state (workspace, channel, watermark, short_term_id) AS MATERIALIZED (
    SELECT c.workspace, c.key, COALESCE(s.source_latest_key, -1), COALESCE(s.id, 0)
    FROM channels AS c
    LEFT JOIN memories AS s ON s.id = (
        SELECT n.id FROM memories AS n
        WHERE n.workspace = c.workspace AND n.scope = 2
            AND n.scope_id = c.id || ':' || printf('%d.%06d', ?2 / 1000000, ?2 % 1000000)
            AND n.memory_type = 1 AND n.superseded_at IS NULL
        ORDER BY n.version DESC LIMIT 1
    )
    WHERE c.key = ?1
),
thread (ts_key) AS MATERIALIZED (
    SELECT ts_key FROM messages WHERE channel = ?1 AND thread_key = ?2 AND deleted_at IS NULL
    UNION ALL
    SELECT ts_key FROM messages WHERE channel = ?1 AND ts_key = ?2 AND deleted_at IS NULL
)
INSERT OR REPLACE INTO backlog
    (workspace, channel, thread_key, first_reply_key, newest_key, oldest_new_key, new_count,
    watermark, short_term_id, merged_through)
SELECT
    state.workspace,
    state.channel,
    ?2,
    (SELECT MIN(ts_key) FROM thread WHERE ts_key <> ?2),
    (SELECT MAX(ts_key) FROM thread),
    (SELECT MIN(ts_key) FROM thread WHERE ts_key > state.watermark),
    (SELECT COUNT(*) FROM thread WHERE ts_key > state.watermark),
    state.watermark,
    state.short_term_id,
    0
FROM state
WHERE state.short_term_id > 0 OR EXISTS (SELECT 1 FROM thread WHERE ts_key <> ?2);
