SELECT memory_type, until, failures, reason FROM deferrals WHERE workspace = ?1 AND scope = ?2 AND scope_id = ?3;
