-- ?1 workspace, ?2 event, ?3 failures, ?4 next try, or NULL if it is set aside, ?5 error, ?6 whether its text goes
UPDATE events SET failures = ?3, error = ?5, state = CASE WHEN ?4 IS NULL THEN 2 ELSE 0 END,
    next_try_at = COALESCE(?4, next_try_at), payload = CASE WHEN ?6 = 1 THEN '' ELSE payload END
WHERE workspace = ?1 AND id = ?2;
