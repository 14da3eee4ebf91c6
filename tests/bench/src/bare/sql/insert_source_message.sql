INSERT INTO memory_source_messages (memory, message) VALUES (?1, ?2);
