-- A fact from an event is kept, and what is not known never overwrites what is. The bot takes part in imported
-- channels.
-- ?1 workspace, ?2 channel id, ?3 name, ?4 whether private, ?5 whether shared, ?6 whether there are guests
UPDATE channels SET
    name = CASE WHEN name_at = 0 THEN COALESCE(NULLIF(?3, ''), name) ELSE name END,
    is_private = CASE WHEN private_at = 0 THEN COALESCE(?4, is_private) ELSE is_private END,
    is_shared = CASE WHEN shared_at = 0 THEN COALESCE(?5, is_shared) ELSE is_shared END,
    imported_guests = COALESCE(?6, imported_guests),
    present = CASE WHEN present_at = 0 THEN 1 ELSE present END
WHERE workspace = ?1 AND id = ?2 AND (
    (name_at = 0 AND name <> COALESCE(NULLIF(?3, ''), name))
    OR (private_at = 0 AND is_private <> ?4)
    OR (shared_at = 0 AND is_shared IS DISTINCT FROM COALESCE(?5, is_shared))
    OR imported_guests IS DISTINCT FROM COALESCE(?6, imported_guests)
    OR (present_at = 0 AND present = 0)
);
