-- ?1 workspace, ?2 channel id
SELECT key FROM channels WHERE workspace = ?1 AND id = ?2;
