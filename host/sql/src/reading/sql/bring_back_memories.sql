-- bring_back_memories
-- ?1 workspace, ?2 now
UPDATE memories SET updated_at = ?2, created_at = MIN(created_at, ?2)
WHERE workspace = ?1 AND superseded_at IS NULL AND updated_at > ?2 + 86400;
