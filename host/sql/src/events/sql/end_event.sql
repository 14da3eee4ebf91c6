-- ?1 workspace, ?2 event, ?3 now
UPDATE events SET state = 1, payload = '', error = NULL, applied_at = ?3
WHERE workspace = ?1 AND id = ?2 AND state = 0;
