-- Only for tables that give no id twice. ?1 table, ?2 its newest id
INSERT INTO sqlite_sequence (name, seq)
SELECT t.name, ?2 FROM sqlite_schema AS t
WHERE t.type = 'table' AND t.name = ?1 AND instr(t.sql, 'AUTOINCREMENT') > 0
    AND NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1);
