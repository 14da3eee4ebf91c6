-- ?1 workspace
SELECT id, name, is_bot, changed_at FROM users WHERE workspace = ?1 ORDER BY id;
