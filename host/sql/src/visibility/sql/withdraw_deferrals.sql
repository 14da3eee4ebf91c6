-- Arguments as in withdraw_parts.sql
DELETE FROM deferrals
WHERE workspace = ?1 AND NOT EXISTS (
    SELECT 1 FROM channels AS c
    WHERE c.key = ?2 AND ?3 = CASE WHEN
        (scope = 1 AND scope_id = c.id) OR (scope = 2 AND SUBSTR(scope_id, 1, LENGTH(c.id) + 1) = c.id || ':')
    THEN 1 ELSE 0 END
);
