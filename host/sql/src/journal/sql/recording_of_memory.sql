-- ?1 workspace, ?2 memory
SELECT r.id, s.number, r.export, r.component, r.started_at
FROM recorded_saves AS s
JOIN recordings AS r ON r.id = s.recording
WHERE s.memory = ?2 AND r.workspace = ?1;
