-- Events of a channel reach only those who take part in it. ?1 channel
UPDATE channels SET present = 1 WHERE key = ?1 AND present_at = 0 AND present = 0;
