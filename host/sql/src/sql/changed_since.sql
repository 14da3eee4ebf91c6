-- True if a message or a memory was edited, deleted or partly erased after a revision.
-- ?1 channels and message ids, ?2 memories, both JSON arrays, ?3 revision
SELECT EXISTS (
    SELECT 1 FROM tuples(?1) AS k
    CROSS JOIN messages AS m ON m.channel = k.first AND m.ts_key = k.second
    WHERE m.revised > ?3
) OR EXISTS (
    SELECT 1 FROM integers(?2) AS k JOIN memories AS m ON m.id = k.value WHERE m.revised > ?3
);
