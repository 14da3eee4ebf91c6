-- ?1 workspace, ?2 user id, ?3 whether a program
UPDATE users SET is_bot = 1 WHERE workspace = ?1 AND id = ?2 AND name = '' AND is_bot < ?3;
