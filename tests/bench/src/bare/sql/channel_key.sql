SELECT key FROM channels WHERE workspace = ?1 AND id = ?2;
