-- An unknown name never overwrites a known one.
UPDATE channels SET name = COALESCE(NULLIF(?3, ''), name), is_private = ?4
WHERE workspace = ?1 AND id = ?2 AND (name <> COALESCE(NULLIF(?3, ''), name) OR is_private <> ?4);
