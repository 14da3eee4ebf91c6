-- ?1 workspace
SELECT COUNT(*), COUNT(s.ended_at), CAST(COALESCE(SUM(s.hidden), 0) AS BIGINT)
FROM channels AS c LEFT JOIN sweeps AS s ON s.channel = c.key
WHERE c.workspace = ?1 AND c.present = 1
    AND (c.read_through IS NOT NULL OR EXISTS (SELECT 1 FROM messages AS m WHERE m.channel = c.key));
