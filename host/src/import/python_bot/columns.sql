-- The columns of a table; none if there is no such table.
SELECT name FROM pragma_table_info(?1);
