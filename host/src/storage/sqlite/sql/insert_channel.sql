INSERT INTO channels (workspace, id, name, is_private) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING;
