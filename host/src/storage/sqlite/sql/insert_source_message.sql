-- ?1 memory, ?2 channel, ?3 message id: one row whether or not it was there, none where there is no such message
INSERT INTO memory_source_messages (memory, message)
SELECT ?1, key FROM messages WHERE channel = ?2 AND ts_key = ?3
ON CONFLICT (memory, message) DO UPDATE SET memory = excluded.memory;
