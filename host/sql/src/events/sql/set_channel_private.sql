-- ?1 workspace, ?2 channel id, ?3 whether private, ?4 the event's time, ?5 a time that is too late for any event
UPDATE channels SET is_private = ?3, private_at = ?4
WHERE workspace = ?1 AND id = ?2 AND ((private_at, is_private) < (?4, ?3) OR (private_at > ?5 AND ?4 <= ?5));
