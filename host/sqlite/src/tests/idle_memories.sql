-- All are made from one channel, which everybody may see.
INSERT INTO origin_sets (key, digest) VALUES (1, 'one');
INSERT INTO origin_channels (origins, channel) VALUES (1, 1);
INSERT INTO memories (workspace, scope, scope_id, memory_type, version, content, engine, created_at, updated_at,
    source_message_count, source_latest_key, merged_through, origins)
SELECT 1, 1, c.id, m.memory_type, 1, 'text', 1, 3000, 3000, 2, 2000000000, CASE m.memory_type WHEN 0 THEN 1000000 END, 1
FROM channels AS c
JOIN (SELECT 0 AS memory_type UNION ALL SELECT 1) AS m
WHERE c.key % 4 IN (0, 1)
UNION ALL
SELECT 1, 0, 'default', m.memory_type, 1, 'text', 1, 3000, 3000, 2, NULL, 1000000, 1
FROM (SELECT 0 AS memory_type UNION ALL SELECT 1) AS m
UNION ALL
-- Stand-ins, which are newer than all others.
SELECT 1, 1, c.id, 1, 0, 'text', 1, 3000, 3000, 2, 2000000000, NULL, 1
FROM channels AS c;
