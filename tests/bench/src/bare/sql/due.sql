-- ?1 workspace, ?2 window start, ?3 until
SELECT c.key, c.id, c.name
FROM backlog AS b
JOIN channels AS c ON c.key = b.channel
WHERE b.workspace = ?1 AND b.thread_key = 0 AND b.short_term_id = 0
    AND b.newest_key >= ?2 AND b.oldest_new_key <= ?3 AND c.present = 1
ORDER BY c.id;
