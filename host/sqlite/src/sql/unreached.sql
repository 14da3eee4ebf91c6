-- unreached
-- The messages that no short-term memory of their channel includes or will include: the channel's newest memory covers
-- later messages. The sources of another program's memory are not known; such a memory counts for all messages up to
-- its watermark. ?1 workspace
SELECT c.id, COALESCE(NULLIF(c.name, ''), c.id), COUNT(*), MIN(m.ts_key), MAX(m.ts_key)
FROM backlog AS b
JOIN channels AS c ON c.key = b.channel AND c.present = 1
JOIN messages AS m ON m.channel = b.channel AND m.ts_key <= b.watermark AND m.deleted_at IS NULL
WHERE b.workspace = ?1 AND b.thread_key = 0 AND b.short_term_id > 0
    AND m.ts_key > COALESCE((
        SELECT MAX(o.source_latest_key) FROM memories AS o
        WHERE o.workspace = ?1 AND o.scope = 1 AND o.scope_id = c.id AND o.memory_type = 1 AND o.engine = 2
    ), -1)
    AND NOT EXISTS (
        SELECT 1 FROM memory_source_messages AS s
        JOIN memories AS o ON o.id = s.memory AND o.scope = 1 AND o.version > 0
        WHERE s.message = m.key
    )
GROUP BY b.channel
ORDER BY 2, 1;
