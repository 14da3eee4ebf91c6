-- ?1 memory, ?2 source
INSERT OR IGNORE INTO memory_source_memories (memory, source) VALUES (?1, ?2);
