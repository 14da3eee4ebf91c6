-- ?1 workspace
DELETE FROM deferrals WHERE workspace = ?1;
