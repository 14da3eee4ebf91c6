-- The columns of a table; none if there is no such table, or if it is a view or a virtual table.
SELECT c.name FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
WHERE t.schema = 'main' AND t.type = 'table' AND t.name = ?1;
