SELECT key FROM workspaces WHERE id = ?1;
