-- ?1 workspace, ?2 scope, ?3 scope id, ?4 memory type
DELETE FROM deferrals WHERE workspace = ?1 AND scope = ?2 AND scope_id = ?3 AND memory_type = ?4;
