-- ?1 workspace, ?2 channel id, ?3 name, ?4 the event's time, ?5 a time that is too late for any event
UPDATE channels SET name = ?3, name_at = ?4
WHERE workspace = ?1 AND id = ?2 AND ?3 <> '' AND ((name_at, name) < (?4, ?3) OR (name_at > ?5 AND ?4 <= ?5));
