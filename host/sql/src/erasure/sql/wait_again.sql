-- Messages that were news of the same versions as these messages, and what was news of these memories, waits again.
-- ?1 messages, ?2 memories, both JSON arrays
UPDATE messages SET news_of = NULL
WHERE deleted_at IS NULL AND key IN (
    SELECT s.message
    FROM (
        SELECT m.news_of AS memory
        FROM integers(?1) AS k
        JOIN messages AS m ON m.key = k.value AND m.news_of > 0
        UNION
        SELECT value FROM integers(?2)
    ) AS v
    JOIN memory_source_messages AS s ON s.memory = v.memory
    JOIN messages AS n ON n.key = s.message AND n.news_of = v.memory
)
RETURNING channel;
