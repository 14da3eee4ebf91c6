-- ?1 workspace, ?2 event
SELECT failures, payload FROM events WHERE workspace = ?1 AND id = ?2 AND state = 0;
