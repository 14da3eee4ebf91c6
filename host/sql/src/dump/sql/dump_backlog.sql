-- ?1 workspace
SELECT c.id AS channel, b.thread_key AS thread, b.first_reply_key AS first_reply, b.newest_key AS newest,
    b.oldest_new_key AS oldest_new, b.new_count
FROM channels AS c
JOIN backlog AS b ON b.channel = c.key
WHERE c.workspace = ?1
ORDER BY c.id, b.thread_key;
