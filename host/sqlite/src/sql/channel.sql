-- ?1 workspace, ?2 channel id
SELECT name, is_private, present FROM channels WHERE workspace = ?1 AND id = ?2;
