-- ?1 workspace, ?2 user id, ?3 name, ?4 whether it is a program, ?5 since when, ?6 a time in the future
UPDATE users SET name = ?3, is_bot = ?4, changed_at = ?5
WHERE workspace = ?1 AND id = ?2 AND ((changed_at, name, is_bot) < (?5, ?3, ?4) OR (changed_at > ?6 AND ?5 <= ?6));
