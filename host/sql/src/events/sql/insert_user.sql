INSERT INTO users (workspace, id, name, is_bot, changed_at) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING;
