-- expect_first_version
-- ?1 workspace, ?2 channel ids as a JSON array, ?3 the end of their history
UPDATE channels SET history_through = ?3
WHERE workspace = ?1 AND id IN (SELECT value FROM texts(?2))
    AND (history_through IS NULL OR history_through > ?3)
    AND NOT EXISTS (SELECT 1 FROM backlog WHERE channel = channels.key AND thread_key = 0 AND short_term_id > 0);
