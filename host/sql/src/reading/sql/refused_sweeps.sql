-- ?1 workspace
SELECT c.id, s.refusal
FROM channels AS c JOIN sweeps AS s ON s.channel = c.key
WHERE c.workspace = ?1 AND c.present = 1 AND s.refusal IS NOT NULL
ORDER BY c.id;
