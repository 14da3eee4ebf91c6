INSERT INTO memory_source_memories (memory, source) VALUES (?1, ?2);
