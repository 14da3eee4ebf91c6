-- A memory of the thread was made in a run that began at ?4. ?1 workspace, ?2 channel, ?3 thread, ?4 start of the run
DELETE FROM changed_threads WHERE workspace = ?1 AND channel = ?2 AND thread_key = ?3 AND changed_at < ?4;
