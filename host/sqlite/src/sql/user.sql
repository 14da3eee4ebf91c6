-- ?1 workspace, ?2 user id
SELECT name, is_bot FROM users WHERE workspace = ?1 AND id = ?2;
