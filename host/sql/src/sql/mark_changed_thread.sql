-- If the stored time is more than a day later, it was stored while the clock was ahead. ?1 workspace, ?2 channel, ?3
-- thread, ?4 time
INSERT INTO changed_threads (workspace, channel, thread_key, changed_at) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (workspace, channel, thread_key) DO UPDATE SET changed_at = CASE
    WHEN excluded.changed_at > 0 AND changed_threads.changed_at > excluded.changed_at + 86400
        THEN excluded.changed_at
    ELSE MAX(changed_threads.changed_at, excluded.changed_at)
END;
