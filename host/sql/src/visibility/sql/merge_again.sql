-- Channels' memories that are older than what was merged last can be seen now. ?1 workspace
UPDATE memories SET merged_through = NULL
WHERE workspace = ?1 AND scope = 0 AND superseded_at IS NULL;
