-- The newest id that was given to a row of a table, and the column.
SELECT CAST(c.relname AS TEXT), CAST(a.attname AS TEXT),
    pg_sequence_last_value(CAST(pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS regclass))
FROM pg_class AS c
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attidentity <> ''
WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind = 'r';
