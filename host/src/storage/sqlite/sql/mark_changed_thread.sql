-- ?1 workspace, ?2 channel, ?3 thread, ?4 time
INSERT INTO changed_threads (workspace, channel, thread_key, changed_at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT DO UPDATE SET changed_at = MAX(changed_at, excluded.changed_at);
