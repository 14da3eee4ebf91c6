-- ?1 the number of channels. None of them is due at 10000.0 with a window of 5000 s and idle after 1000 s: summarised
-- and silent, never summarised and long silent, summarised and active, empty.
INSERT INTO channels (key, workspace, id, name, is_private, audience)
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
SELECT i, 1, printf('C%06d', i), printf('channel-%06d', i), 0, 0 FROM n;
