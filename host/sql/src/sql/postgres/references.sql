-- Which table has keys of which other one.
SELECT DISTINCT CAST(c.relname AS TEXT), CAST(r.relname AS TEXT)
FROM pg_constraint AS f
JOIN pg_class AS c ON c.oid = f.conrelid
JOIN pg_class AS r ON r.oid = f.confrelid
WHERE f.contype = 'f' AND c.relnamespace = CAST(current_schema() AS regnamespace) AND c.oid <> r.oid;
