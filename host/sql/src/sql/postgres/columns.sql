-- The columns of all tables that hold rows, and whether they may hold text. Not the index and the vectors: they hold no text.
SELECT c.table_name, c.column_name, c.data_type IN ('text', 'bytea')
FROM information_schema.columns AS c
JOIN information_schema.tables AS t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE'
    AND c.table_name NOT IN ('message_index', 'message_codes', 'message_vectors')
ORDER BY c.table_name, c.ordinal_position;
