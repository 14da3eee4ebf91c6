-- end_history
-- The channel now has a version. ?1 channel
UPDATE channels SET history_through = NULL WHERE key = ?1 AND history_through IS NOT NULL;
