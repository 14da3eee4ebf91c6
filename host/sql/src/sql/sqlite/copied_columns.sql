-- The columns of all tables that a copy has: their kinds, and their places in the primary key from 1. Not the index, which is made
-- anew; not the tables of the Python bot; not columns that the engine works out.
SELECT t.name, c.name, c.pk,
    CASE c.type WHEN 'INTEGER' THEN 0 WHEN 'REAL' THEN 1 WHEN 'TEXT' THEN 2 WHEN 'BLOB' THEN 3 ELSE -1 END
FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!' AND t.name NOT LIKE 'legacy!_%' ESCAPE '!'
    AND t.name <> 'copying'
ORDER BY t.name, c.name;
