-- ?1 recording, ?2 number, ?3 import, ?4 arguments, ?5 result
INSERT INTO recorded_calls (recording, number, import, arguments, result) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (recording, number) DO UPDATE SET result = excluded.result;
