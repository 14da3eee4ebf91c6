INSERT INTO origin_channels (origins, channel) VALUES (?1, ?2);
