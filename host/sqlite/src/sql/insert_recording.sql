INSERT INTO recordings (workspace, export, component, started_at) VALUES (?1, ?2, ?3, ?4) RETURNING id;
