-- ?1 workspace, ?2 before, ?3 now less the wait after a refusal, ?4 now, in Unix seconds. A later refusal was noted while the clock was ahead.
SELECT c.id, s.through, COALESCE(s.good_through, c.read_through)
FROM channels AS c LEFT JOIN sweeps AS s ON s.channel = c.key
WHERE c.workspace = ?1 AND c.present = 1
    AND (s.through IS NOT NULL OR s.ended_at IS NULL OR s.ended_at < ?2)
    AND (s.refused_at IS NULL OR s.refused_at NOT BETWEEN ?3 + 1 AND ?4)
    AND (c.read_through IS NOT NULL OR EXISTS (SELECT 1 FROM messages AS m WHERE m.channel = c.key))
ORDER BY CASE WHEN s.through IS NULL THEN 1 ELSE 0 END, COALESCE(s.ended_at, 0), c.key
LIMIT 1;
