-- What came from an event is kept, and an unknown name never overwrites a known one. The bot takes part in imported
-- channels.
-- ?1 workspace, ?2 channel id, ?3 name, ?4 whether private
UPDATE channels SET
    name = CASE WHEN name_at = 0 THEN COALESCE(NULLIF(?3, ''), name) ELSE name END,
    is_private = CASE WHEN private_at = 0 THEN ?4 ELSE is_private END,
    present = CASE WHEN present_at = 0 THEN 1 ELSE present END
WHERE workspace = ?1 AND id = ?2 AND (
    (name_at = 0 AND name <> COALESCE(NULLIF(?3, ''), name))
    OR (private_at = 0 AND is_private <> ?4)
    OR (present_at = 0 AND present = 0)
);
