-- Messages in every channel that is not empty, with a thread in some of them, and a new message in the active ones.
INSERT INTO messages (workspace, channel, ts_key, thread_key, user_id, is_bot, text)
SELECT 1, c.key, m.ts_key, m.thread_key, 'U1', 0, 'text'
FROM channels AS c
JOIN (
    SELECT 2000000000 AS ts_key, NULL AS thread_key, 1 AS parts, 4 AS of_channels
    UNION ALL SELECT 2000000000, NULL, 2, 4
    UNION ALL SELECT 2000000000, NULL, 0, 4
    UNION ALL SELECT 1000000000, NULL, 1, 16
    UNION ALL SELECT 1500000000, 1000000000, 1, 16
    UNION ALL SELECT 9500000000, NULL, 0, 4
) AS m ON c.key % m.of_channels = m.parts;
