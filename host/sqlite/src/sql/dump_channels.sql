-- ?1 workspace
SELECT id, name, is_private, present, name_at, private_at, present_at FROM channels WHERE workspace = ?1 ORDER BY id;
