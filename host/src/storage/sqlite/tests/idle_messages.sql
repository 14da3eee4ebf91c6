-- A thread in every channel that is not empty; one new message where they talk.
INSERT INTO messages (workspace, channel, ts_key, thread_key, user_id, is_bot, text)
SELECT 1, c.key, m.ts_key, m.thread_key, 'U1', 0, 'text'
FROM channels AS c
JOIN (
    SELECT 1000000000 AS ts_key, NULL AS thread_key, 0 AS talking
    UNION ALL SELECT 2000000000, 1000000000, 0
    UNION ALL SELECT 9500000000, NULL, 1
) AS m ON c.key % 4 < 3 AND (m.talking = 0 OR c.key % 4 = 0);
