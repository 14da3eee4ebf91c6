-- ?1 channel, ?2 message id, ?3 user, ?4 emoji, ?5 whether it is given, ?6 the key of the time
INSERT INTO done_marks (channel, ts_key, user_id, emoji, is_given, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (channel, ts_key, user_id, emoji) DO UPDATE SET is_given = excluded.is_given, at = excluded.at
WHERE excluded.at > done_marks.at OR (excluded.at = done_marks.at AND excluded.is_given < done_marks.is_given);
