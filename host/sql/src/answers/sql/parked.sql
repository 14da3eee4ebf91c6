-- Work that is not tried again by itself: events, then posts. ?1 workspace, ?2 the maximum number
SELECT event_id, NULL, NULL, error, payload <> '' FROM events INDEXED BY events_set_aside
WHERE workspace = ?1 AND state = 2
UNION ALL
SELECT NULL, c.id, p.posted_key, p.retraction_error, 1 = 1
FROM reply_parts AS p INDEXED BY reply_parts_retracted JOIN channels AS c ON c.key = p.channel
WHERE p.retracted IN (1, 3) AND p.retracted = 3 AND c.workspace = ?1
LIMIT ?2;
