-- bring_back_changed_threads
-- ?1 workspace, ?2 now
UPDATE changed_threads SET changed_at = ?2 WHERE workspace = ?1 AND changed_at > ?2 + 86400;
