-- The sources of a version do not wait any more; if its sources are not known, everything up to its newest message.
-- ?1 version, ?2 whether it is the channel's first, ?3 channel
UPDATE messages SET news_of = ?1
WHERE (?2 = 1 OR news_of IS NULL OR news_of = 0) AND key IN (
    SELECT message FROM memory_source_messages WHERE memory = ?1
    UNION ALL
    SELECT w.key FROM messages AS w INDEXED BY messages_waiting
    WHERE w.channel = ?3 AND w.news_of IS NULL AND w.deleted_at IS NULL
        AND w.ts_key <= (SELECT source_latest_key FROM memories WHERE id = ?1)
        AND NOT EXISTS (SELECT 1 FROM memory_source_messages WHERE memory = ?1)
);
