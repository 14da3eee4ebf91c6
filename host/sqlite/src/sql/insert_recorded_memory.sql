-- ?1 memory, ?2 recording
INSERT OR IGNORE INTO recorded_memories (memory, recording) VALUES (?1, ?2);
