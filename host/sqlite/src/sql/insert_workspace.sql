-- ?1 workspace id
INSERT INTO workspaces (id) VALUES (?1) RETURNING key;
