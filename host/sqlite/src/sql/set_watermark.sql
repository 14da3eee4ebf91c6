-- ?1 memory, ?2 newest message that went in
UPDATE memories SET source_latest_key = ?2 WHERE id = ?1;
