-- Channels whose backlog does not agree with their messages, where no memory was made; ?1 is not used.
SELECT c.id, b.newest_key, b.oldest_new_key, b.new_count, m.newest, m.oldest, m.there, ?1 AS unused
FROM channels AS c
JOIN backlog AS b ON b.channel = c.key AND b.thread_key = 0
JOIN (
    SELECT channel, MAX(ts_key) AS newest, MIN(ts_key) AS oldest, COUNT(*) AS there
    FROM messages
    WHERE deleted_at IS NULL
    GROUP BY channel
) AS m ON m.channel = c.key
WHERE (b.newest_key, b.oldest_new_key, b.new_count) IS NOT (m.newest, m.oldest, m.there)
