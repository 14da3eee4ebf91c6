-- The bot gets events only from channels that it takes part in. ?1 channel
UPDATE channels SET present = 1 WHERE key = ?1 AND present_at = 0 AND present = 0;
