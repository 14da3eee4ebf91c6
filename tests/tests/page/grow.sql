-- Grows a workspace of one channel with one version: 999 channels more with 90 versions each, 10,000 versions and 2,000
-- threads more in the channel.
BEGIN;
CREATE TEMP TABLE numbers AS
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
SELECT i FROM n;
CREATE TEMP TABLE model AS
SELECT * FROM memories WHERE scope = 1 AND scope_id = 'CGENERAL' AND memory_type = 1 AND version = 1;

INSERT INTO channels (workspace, id, name, is_private)
SELECT m.workspace, PRINTF('C%04d', i), PRINTF('channel-%04d', i), 0 FROM numbers, model AS m WHERE i <= 999;

INSERT INTO memories (workspace, scope, scope_id, memory_type, version, content, engine, created_at, updated_at,
    source_message_count)
SELECT m.workspace, 1, c.id, 1, i, PRINTF('- version %d%s', i, REPLACE(HEX(ZEROBLOB(300)), '00', ' ab')), m.engine,
    m.created_at, m.updated_at + i, 20
FROM model AS m, channels AS c, numbers
WHERE c.id <> 'CGENERAL' AND i <= 90;

INSERT INTO memories (workspace, scope, scope_id, memory_type, version, content, engine, created_at, updated_at,
    source_message_count)
SELECT m.workspace, 1, m.scope_id, 1, i + 1, PRINTF('- version %d%s', i, REPLACE(HEX(ZEROBLOB(300)), '00', ' ab')), m.engine,
    m.created_at, m.updated_at + i, 20
FROM model AS m, numbers;

INSERT INTO memories (workspace, scope, scope_id, memory_type, version, content, engine, created_at, updated_at,
    source_message_count)
SELECT m.workspace, 2, PRINTF('CGENERAL:%d.000100', 1772500000 + i), 1, 1, PRINTF('- thread %d', i), m.engine,
    m.created_at, m.updated_at + i, 20
FROM model AS m, numbers
WHERE i <= 2000;
COMMIT;
