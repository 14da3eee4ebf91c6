-- Whether a message or a memory was edited, deleted or partly erased after a revision.
-- ?1 channel id, ?2 message ids, ?3 memories, both JSON arrays, ?4 revision, ?5 workspace
SELECT EXISTS (
    SELECT 1 FROM channels AS c
    CROSS JOIN integers(?2) AS k ON true
    CROSS JOIN messages AS m ON m.channel = c.key AND m.ts_key = k.value
    WHERE c.workspace = ?5 AND c.id = ?1 AND m.revised > ?4
) OR EXISTS (
    SELECT 1 FROM integers(?3) AS k JOIN memories AS m ON m.id = k.value WHERE m.revised > ?4
);
