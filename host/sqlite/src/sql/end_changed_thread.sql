-- A memory was made of it in a run that began at a time. ?1 workspace, ?2 channel, ?3 thread, ?4 that time
DELETE FROM changed_threads WHERE workspace = ?1 AND channel = ?2 AND thread_key = ?3 AND changed_at < ?4;
