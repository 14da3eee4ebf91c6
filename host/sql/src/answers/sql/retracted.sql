-- Posts that Slack still shows, and that may be tried. ?1 workspace, ?2 the maximum number, ?3 now, ?4 the latest possible
-- time of a next try
SELECT c.id, p.posted_key
FROM reply_parts AS p INDEXED BY reply_parts_retracted JOIN channels AS c ON c.key = p.channel
WHERE p.retracted IN (1, 3) AND p.retracted = 1 AND c.workspace = ?1 AND (p.retract_at <= ?3 OR p.retract_at > ?4)
ORDER BY p.posted_key, p.channel
LIMIT ?2;
