-- The columns of all tables that a copy has: their kinds, and their places in the primary key from 1. Not the index, which is made
-- anew; not columns that the engine works out.
SELECT CAST(c.relname AS TEXT), CAST(a.attname AS TEXT),
    COALESCE(array_position(string_to_array(CAST(i.indkey AS TEXT), ' '), CAST(a.attnum AS TEXT)), 0),
    CASE format_type(a.atttypid, NULL)
        WHEN 'bigint' THEN 0 WHEN 'double precision' THEN 1 WHEN 'text' THEN 2 WHEN 'bytea' THEN 3 ELSE -1
    END
FROM pg_class AS c
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind IN ('r', 'p')
    AND c.relname NOT IN ('copying', 'leases', 'message_index', 'myao_schema', 'pauses')
ORDER BY c.relname, a.attname;
