-- ?1 workspace, ?2 ids as a JSON array, ?3 what is shown for a channel that is not known to be public
SELECT id, CASE is_private WHEN 0 THEN name ELSE ?3 END
FROM channels
WHERE workspace = ?1 AND id IN (SELECT value FROM texts(?2)) AND name <> '';
