-- Another process may just have inserted it. ?1 id
INSERT INTO workspaces (id) VALUES (?1)
ON CONFLICT (id) DO UPDATE SET id = excluded.id
RETURNING key;
