-- If two statements have the same time, the one that makes more people possible wins: yes, not known, no.
-- ?1 workspace, ?2 channel id, ?3 whether shared, ?4 the event's time, ?5 a time that is too late for any event
UPDATE channels SET is_shared = ?3, shared_at = ?4
WHERE workspace = ?1 AND id = ?2 AND (
    (shared_at, COALESCE(2 * is_shared, 1)) < (?4, COALESCE(2 * ?3, 1))
    OR (shared_at > ?5 AND ?4 <= ?5)
);
