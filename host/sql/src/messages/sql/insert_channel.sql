-- ?1 workspace, ?2 channel id, ?3 name, ?4 whether private, ?5 whether the bot takes part
INSERT INTO channels (workspace, id, name, is_private, present) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING;
