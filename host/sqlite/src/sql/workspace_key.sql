-- ?1 workspace id
SELECT key FROM workspaces WHERE id = ?1;
