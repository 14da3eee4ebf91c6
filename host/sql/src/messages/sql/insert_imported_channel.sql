-- ?1 workspace, ?2 channel id, ?3 name, ?4 whether private, ?5 whether shared, ?6 whether there are guests
INSERT INTO channels (workspace, id, name, is_private, is_shared, imported_guests)
VALUES (?1, ?2, ?3, COALESCE(?4, 1), ?5, ?6)
ON CONFLICT DO NOTHING;
