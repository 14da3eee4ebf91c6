-- ?1 workspace, ?2 scope, ?3 scope id, ?4 memory type, ?5 until, ?6 failures, ?7 reason
INSERT INTO deferrals (workspace, scope, scope_id, memory_type, until, failures, reason)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (workspace, scope, scope_id, memory_type) DO UPDATE SET
    until = excluded.until, failures = excluded.failures, reason = excluded.reason;
