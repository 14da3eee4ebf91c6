-- ?1 memory, ?2 message
INSERT OR IGNORE INTO memory_source_messages (memory, message) VALUES (?1, ?2);
