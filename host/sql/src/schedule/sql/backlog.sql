-- Work that is not done: its kind, how many pieces, and since when. ?1 workspace
SELECT 0, COUNT(*), MIN(received_at) / 1000 FROM events INDEXED BY events_waiting
WHERE workspace = ?1 AND state = 0
UNION ALL
SELECT 1, COUNT(*), MIN(asked_at) FROM replies INDEXED BY replies_waiting
WHERE workspace = ?1 AND state = 0 AND kind = 0
UNION ALL
SELECT 2, COUNT(*), NULL FROM events INDEXED BY events_set_aside
WHERE workspace = ?1 AND state = 2
UNION ALL
SELECT 2, COUNT(*), NULL
FROM reply_parts AS p INDEXED BY reply_parts_retracted JOIN channels AS c ON c.key = p.channel
WHERE p.retracted IN (1, 3) AND p.retracted = 3 AND c.workspace = ?1;
