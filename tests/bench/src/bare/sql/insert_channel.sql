INSERT INTO channels (workspace, id, name, is_private, present) VALUES (?1, ?2, ?3, ?4, 1) RETURNING key;
