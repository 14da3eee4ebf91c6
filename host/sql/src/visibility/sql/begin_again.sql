-- ?1 channel, ?2 a memory that was made from its messages
UPDATE channels SET history_through = MIN(
    COALESCE(history_through, 9223372036854775807),
    (
        SELECT MIN(m.ts_key) - 1
        FROM memory_source_messages AS s
        JOIN messages AS m ON m.key = s.message
        WHERE s.memory = ?2
    )
)
WHERE key = ?1
    AND EXISTS (SELECT 1 FROM memory_source_messages WHERE memory = ?2)
    AND NOT EXISTS (SELECT 1 FROM backlog WHERE channel = ?1 AND thread_key = 0 AND short_term_id > 0);
