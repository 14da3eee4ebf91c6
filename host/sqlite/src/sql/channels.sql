-- ?1 workspace
SELECT id, COALESCE(NULLIF(name, ''), id) AS shown_name, is_private
FROM channels
WHERE workspace = ?1 AND present = 1
ORDER BY shown_name, id;
