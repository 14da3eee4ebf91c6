-- If both have the same time, leaving wins.
-- ?1 workspace, ?2 channel id, ?3 whether present, ?4 the event's time, ?5 a time that is too late for any event
UPDATE channels SET present = ?3, present_at = ?4, is_behind = CASE WHEN ?3 = 0 AND present = 1 THEN 1 ELSE is_behind END
WHERE workspace = ?1 AND id = ?2 AND ((present_at, 1 - present) < (?4, 1 - ?3) OR (present_at > ?5 AND ?4 <= ?5));
