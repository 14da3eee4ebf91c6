-- ?1 recording, ?2 number, ?3 memory
UPDATE recorded_saves SET memory = ?3 WHERE recording = ?1 AND number = ?2;
