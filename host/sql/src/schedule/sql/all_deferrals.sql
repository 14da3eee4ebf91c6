-- ?1 workspace
SELECT d.memory_type, d.until, d.failures, d.reason, d.scope, d.scope_id, COALESCE(NULLIF(c.name, ''), c.id)
FROM deferrals AS d
LEFT JOIN channels AS c ON c.workspace = d.workspace AND c.id = CASE d.scope
    WHEN 1 THEN d.scope_id
    WHEN 2 THEN SUBSTR(d.scope_id, 1, LENGTH(RTRIM(d.scope_id, '0123456789.')) - 1)
END
WHERE d.workspace = ?1
ORDER BY d.scope, d.scope_id, d.memory_type;
