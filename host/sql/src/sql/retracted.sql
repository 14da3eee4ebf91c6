-- Posts that Slack still shows. ?1 workspace, ?2 the maximum number
SELECT c.id, p.posted_key
FROM reply_parts AS p INDEXED BY reply_parts_retracted JOIN channels AS c ON c.key = p.channel
WHERE p.retracted = 1 AND c.workspace = ?1
ORDER BY p.posted_key, p.channel
LIMIT ?2;
