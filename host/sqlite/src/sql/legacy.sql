-- True if the file has the tables of the Python bot.
SELECT COUNT(*) = 4 FROM sqlite_schema
WHERE type = 'table' AND name IN ('messages', 'users', 'channels', 'memories')
    AND (name <> 'messages' OR EXISTS (SELECT 1 FROM pragma_table_info('messages') WHERE name = 'message_id'));
