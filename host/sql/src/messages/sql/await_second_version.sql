-- Everything newer than the oldest message of the first version waits, or if its sources are not known, newer than its
-- newest. The first message of a thread may be far older than the rest; it counts only if none of its replies is there.
-- ?1 channel, ?2 version
UPDATE messages SET news_of = NULL
WHERE channel = ?1 AND ts_key > COALESCE(
    (
        SELECT MIN(m.ts_key)
        FROM memory_source_messages AS s
        JOIN messages AS m ON m.key = s.message
        WHERE s.memory = ?2 AND NOT EXISTS (
            SELECT 1 FROM messages AS r
            JOIN memory_source_messages AS t ON t.memory = ?2 AND t.message = r.key
            WHERE r.channel = ?1 AND r.thread_key = m.ts_key
        )
    ),
    (SELECT source_latest_key FROM memories WHERE id = ?2),
    -1
);
