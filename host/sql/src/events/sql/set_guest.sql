-- ?1 workspace, ?2 user id, ?3 whether a guest, ?4 the event's time, ?5 a time that is too late for any event
UPDATE users SET is_guest = ?3, guest_at = ?4
WHERE workspace = ?1 AND id = ?2 AND ((guest_at, COALESCE(is_guest, 0)) < (?4, ?3) OR (guest_at > ?5 AND ?4 <= ?5));
