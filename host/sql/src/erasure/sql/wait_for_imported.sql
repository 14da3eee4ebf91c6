-- It is not known what a memory of another program was made from. If it loses lines, everything up to its newest message
-- waits that is in no other version. A memory that was never accepted counted for nothing. ?1 memories, a JSON array
UPDATE messages SET news_of = NULL
WHERE deleted_at IS NULL AND key IN (
    SELECT n.key
    FROM integers(?1) AS k
    CROSS JOIN memories AS m ON m.id = k.value AND m.engine = 2 AND m.scope = 1 AND m.origins IS NOT NULL
    CROSS JOIN channels AS c ON c.workspace = m.workspace AND c.id = m.scope_id
    CROSS JOIN backlog AS b ON b.channel = c.key AND b.thread_key = 0 AND b.short_term_id > 0
    CROSS JOIN messages AS n ON n.channel = c.key AND n.ts_key <= m.source_latest_key
    WHERE n.news_of = 0 OR n.news_of = m.id
)
RETURNING channel;
