-- ?1 workspace, ?2 a channel id, or NULL for all channels that the bot takes part in, ?3 history limit, ?4 whether to
-- include unmerged versions, ?5 the place's own channels, a JSON array, or NULL if it may see everything, ?6 whether it may
-- see what is open elsewhere, ?7 the last second in which they were made
-- Seeks the newest versions of each channel, however many versions there are, in the order of channels, types and
-- versions.
WITH
marks (scope_id, first_version, merged_through) AS MATERIALIZED (
    SELECT
        c.id,
        CASE WHEN ?3 = 0 THEN 4294967296 ELSE COALESCE((
            SELECT h.version FROM memories AS h
            WHERE h.workspace = ?1 AND h.scope = 1 AND h.scope_id = c.id
                AND h.memory_type = 1 AND h.superseded_at IS NULL AND h.version > 0 AND h.updated_at <= ?7
            ORDER BY h.version DESC LIMIT 1 OFFSET ?3 - 1
        ), 1) END,
        CASE WHEN ?4 = 1 THEN COALESCE((
            SELECT l.merged_through FROM memories AS l
            WHERE l.workspace = ?1 AND l.scope = 1 AND l.scope_id = c.id
                AND l.memory_type = 0 AND l.superseded_at IS NULL AND l.version > 0
            ORDER BY l.version DESC LIMIT 1
        ), 0) END
    FROM channels AS c
    JOIN channel_audience AS a ON a.channel = c.key
    WHERE c.workspace = ?1 AND c.id BETWEEN COALESCE(?2, '') AND COALESCE(?2, (SELECT MAX(id) FROM channels WHERE workspace = ?1))
        AND (?2 IS NOT NULL OR c.present = 1)
        AND (?5 IS NULL OR c.key IN (SELECT value FROM integers(?5)) OR (?6 = 1 AND a.is_open = 1))
    ORDER BY c.id
),
-- Long-term memories, stand-ins and versions.
kinds (memory_type, is_version, last_version) AS (
    VALUES (0, 0, 4294967296), (1, 0, 0), (1, 1, 4294967296)
)
SELECT m.id, m.scope, m.scope_id, m.memory_type, m.version, m.content, m.engine, m.created_at, m.updated_at,
    m.source_message_count, m.source_latest_key, m.merged_through, m.origins
FROM marks AS k
CROSS JOIN kinds AS kind ON true
CROSS JOIN memories AS m ON m.workspace = ?1 AND m.scope = 1 AND m.scope_id = k.scope_id
    AND m.memory_type = kind.memory_type AND m.superseded_at IS NULL
    AND m.version <= kind.last_version
    -- Ids and versions increase together, so the unmerged versions are those after the version that was merged last.
    AND m.version >= CASE WHEN kind.is_version = 0 THEN 0 WHEN ?4 = 1 THEN MIN(k.first_version, 1 + COALESCE((
        SELECT p.version FROM memories AS p
        WHERE p.id = k.merged_through AND p.workspace = ?1 AND p.scope = 1 AND p.scope_id = k.scope_id
            AND p.memory_type = 1 AND p.superseded_at IS NULL
    ), 0)) ELSE k.first_version END
WHERE m.updated_at <= ?7
    AND (kind.is_version = 0 OR m.version >= k.first_version OR m.id > k.merged_through);
