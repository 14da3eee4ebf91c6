INSERT INTO users (workspace, id, name, is_bot) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING;
