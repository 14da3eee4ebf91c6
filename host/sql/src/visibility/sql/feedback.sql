-- ?1 channel, ?2 the posted message, ?3 user, ?4 whether it was good, ?5 whether that is said, ?6 the key of the time
INSERT INTO feedback (channel, posted_key, user_id, is_good, is_given, at) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (channel, posted_key, user_id, is_good) DO UPDATE SET is_given = excluded.is_given, at = excluded.at
WHERE excluded.at > feedback.at OR (excluded.at = feedback.at AND excluded.is_given < feedback.is_given);
