-- ?1 recording, ?2 the last number
SELECT import, arguments, result FROM recorded_calls WHERE recording = ?1 AND number <= ?2 ORDER BY number;
