SELECT * FROM channels ORDER BY channel_id;
