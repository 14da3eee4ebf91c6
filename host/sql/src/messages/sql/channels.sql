-- ?1 workspace, ?2 the place's own channels, a JSON array, or NULL if it may see everything, ?3 whether it may see what
-- is open elsewhere
SELECT c.id, COALESCE(NULLIF(c.name, ''), c.id) AS shown_name, c.is_private
FROM channels AS c
JOIN channel_audience AS a ON a.channel = c.key
WHERE c.workspace = ?1 AND c.present = 1
    AND (?2 IS NULL OR c.key IN (SELECT value FROM integers(?2)) OR (?3 = 1 AND a.is_open = 1))
ORDER BY shown_name, c.id;
