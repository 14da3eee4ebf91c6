-- ?1 channel, ?2 message id, ?3 number, ?4 text
INSERT INTO reply_parts (channel, ts_key, number, text) VALUES (?1, ?2, ?3, ?4);
