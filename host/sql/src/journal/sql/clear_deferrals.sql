-- ?1 workspace, ?2 a channel id, for its memories and those of its threads, or NULL for all
DELETE FROM deferrals
WHERE workspace = ?1
    AND (?2 IS NULL OR (scope = 1 AND scope_id = ?2) OR (scope = 2 AND scope_id BETWEEN ?2 || ':' AND ?2 || ';'));
