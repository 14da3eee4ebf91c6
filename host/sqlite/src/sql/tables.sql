SELECT COUNT(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!';
