SELECT id, name, is_private FROM channels WHERE workspace = ?1 AND present = 1 ORDER BY name, id;
