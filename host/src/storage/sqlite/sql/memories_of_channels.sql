-- ?1 workspace, ?2 one channel id, or NULL for all that the bot takes part in, ?3 history limit, ?4 whether unmerged versions too
-- Steps from channel to channel and seeks the newest versions of each, however many there are.
WITH RECURSIVE
scopes (scope_id) AS (
    SELECT COALESCE(?2, (
        SELECT scope_id FROM memories
        WHERE workspace = ?1 AND scope = 1 AND superseded_at IS NULL
        ORDER BY scope_id LIMIT 1
    ))
    UNION ALL
    SELECT (
        SELECT n.scope_id FROM memories AS n
        WHERE n.workspace = ?1 AND n.scope = 1 AND n.superseded_at IS NULL AND n.scope_id > scopes.scope_id
        ORDER BY n.scope_id LIMIT 1
    )
    FROM scopes WHERE ?2 IS NULL AND scopes.scope_id IS NOT NULL
),
marks (scope_id, first_version, merged_through) AS MATERIALIZED (
    SELECT
        s.scope_id,
        CASE WHEN ?3 = 0 THEN 4294967296 ELSE COALESCE((
            SELECT h.version FROM memories AS h
            WHERE h.workspace = ?1 AND h.scope = 1 AND h.scope_id = s.scope_id
                AND h.memory_type = 1 AND h.superseded_at IS NULL AND h.version > 0
            ORDER BY h.version DESC LIMIT 1 OFFSET ?3 - 1
        ), 1) END,
        COALESCE((
            SELECT l.merged_through FROM memories AS l
            WHERE l.workspace = ?1 AND l.scope = 1 AND l.scope_id = s.scope_id
                AND l.memory_type = 0 AND l.superseded_at IS NULL AND l.version > 0
            ORDER BY l.version DESC LIMIT 1
        ), 0)
    FROM scopes AS s
    WHERE s.scope_id IS NOT NULL AND (?2 IS NOT NULL OR EXISTS (
        SELECT 1 FROM channels AS c WHERE c.workspace = ?1 AND c.id = s.scope_id AND c.present = 1
    ))
)
SELECT m.id, m.scope, m.scope_id, m.memory_type, m.version, m.content, m.engine, m.created_at, m.updated_at,
    m.source_message_count, m.source_latest_key, m.merged_through
FROM marks AS k
CROSS JOIN memories AS m ON m.workspace = ?1 AND m.scope = 1 AND m.scope_id = k.scope_id
    AND m.memory_type = 0 AND m.superseded_at IS NULL
UNION ALL
SELECT m.id, m.scope, m.scope_id, m.memory_type, m.version, m.content, m.engine, m.created_at, m.updated_at,
    m.source_message_count, m.source_latest_key, m.merged_through
FROM marks AS k
CROSS JOIN memories AS m ON m.workspace = ?1 AND m.scope = 1 AND m.scope_id = k.scope_id
    AND m.memory_type = 1 AND m.superseded_at IS NULL
    -- Ids and versions grow together, so what is unmerged follows the version merged last.
    AND m.version >= CASE WHEN ?4 THEN MIN(k.first_version, 1 + COALESCE((
        SELECT p.version FROM memories AS p
        WHERE p.id = k.merged_through AND p.workspace = ?1 AND p.scope = 1 AND p.scope_id = k.scope_id
            AND p.memory_type = 1 AND p.superseded_at IS NULL
    ), 0)) ELSE k.first_version END
WHERE m.version >= k.first_version OR m.id > k.merged_through
UNION ALL
-- Stand-ins, whatever the limit.
SELECT m.id, m.scope, m.scope_id, m.memory_type, m.version, m.content, m.engine, m.created_at, m.updated_at,
    m.source_message_count, m.source_latest_key, m.merged_through
FROM marks AS k
CROSS JOIN memories AS m ON m.workspace = ?1 AND m.scope = 1 AND m.scope_id = k.scope_id
    AND m.memory_type = 1 AND m.superseded_at IS NULL AND m.version = 0;
