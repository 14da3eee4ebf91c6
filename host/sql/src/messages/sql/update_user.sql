-- A fact from an event is kept, and an unknown name never overwrites a known one.
UPDATE users SET name = COALESCE(NULLIF(?3, ''), name), is_bot = ?4
WHERE workspace = ?1 AND id = ?2 AND changed_at = 0
    AND (name <> COALESCE(NULLIF(?3, ''), name) OR is_bot <> ?4);
