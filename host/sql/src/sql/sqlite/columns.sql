-- The columns of all tables that hold rows, and whether they may hold text. Not the index and the vectors: they hold no text.
SELECT t.name, c.name, c.type NOT IN ('INTEGER', 'REAL')
FROM pragma_table_list AS t, pragma_table_info(t.name) AS c
WHERE t.schema = 'main' AND t.type IN ('table', 'shadow') AND t.name NOT LIKE 'sqlite!_%' ESCAPE '!'
    AND t.name NOT IN ('message_codes', 'message_vectors') AND t.name NOT LIKE 'message!_index%' ESCAPE '!' AND t.name NOT LIKE 'memory!_index%' ESCAPE '!'
ORDER BY t.name, c.cid;
