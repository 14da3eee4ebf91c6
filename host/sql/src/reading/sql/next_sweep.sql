-- ?1 workspace, ?2 before, in Unix seconds
SELECT c.id, s.through
FROM channels AS c LEFT JOIN sweeps AS s ON s.channel = c.key
WHERE c.workspace = ?1 AND c.present = 1
    AND (s.channel IS NULL OR s.through IS NOT NULL OR s.ended_at < ?2)
    AND EXISTS (SELECT 1 FROM messages AS m WHERE m.channel = c.key)
ORDER BY CASE WHEN s.through IS NULL THEN 1 ELSE 0 END, COALESCE(s.ended_at, 0), c.key
LIMIT 1;
