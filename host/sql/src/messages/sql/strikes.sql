-- ?1 workspace, ?2 the place's own channels, a JSON array, or NULL if it may see everything, ?3 whether it may see what is
-- open elsewhere
SELECT c.id, s.struck_key, s.ts_key
FROM strikes AS s
CROSS JOIN channels AS c ON c.key = s.channel
JOIN channel_audience AS a ON a.channel = c.key
WHERE s.workspace = ?1 AND (?2 IS NULL OR c.key IN (SELECT value FROM integers(?2)) OR (?3 = 1 AND a.is_open = 1))
ORDER BY c.id, s.struck_key, s.ts_key;
