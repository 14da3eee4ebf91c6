-- The newest id that was given to a row of a table, and the column. Where a row's id may be given again, nothing is known.
SELECT s.name, c.name, s.seq
FROM sqlite_sequence AS s, pragma_table_info(s.name) AS c
WHERE c.pk = 1;
