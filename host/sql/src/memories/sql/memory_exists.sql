-- ?1 workspace, ?2 memory
SELECT EXISTS (SELECT 1 FROM memories WHERE id = ?2 AND workspace = ?1);
