-- ?1 channel
SELECT read_through FROM channels WHERE key = ?1;
