INSERT INTO recorded_saves (recording, number, workspace, scope, scope_id, memory_type, text_digest)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);
