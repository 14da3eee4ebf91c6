-- True if a channel has a message before a key that was deleted or forgotten. ?1 workspace, ?2 channel id, ?3 key
SELECT EXISTS (
    SELECT 1 FROM channels AS c
    JOIN messages AS m ON m.channel = c.key AND m.deleted_at IS NOT NULL
    WHERE c.workspace = ?1 AND c.id = ?2 AND m.expired = 0 AND m.ts_key < ?3
);
