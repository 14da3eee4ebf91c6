-- Which table has keys of which other one.
SELECT DISTINCT t.name, f."table"
FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f
WHERE t.schema = 'main' AND t.name <> f."table";
