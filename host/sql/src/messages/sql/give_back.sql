-- Versions are set aside: what was their news waits again.
-- ?1 workspace, ?2 channel id, ?3 the first of the versions
UPDATE messages SET news_of = NULL
WHERE key IN (
    SELECT s.message FROM memories AS m
    JOIN memory_source_messages AS s ON s.memory = m.id
    JOIN messages AS n ON n.key = s.message AND n.news_of = m.id
    WHERE m.workspace = ?1 AND m.scope = 1 AND m.scope_id = ?2 AND m.memory_type = 1 AND m.superseded_at IS NULL
        AND m.version >= ?3 AND m.version > 0
);
