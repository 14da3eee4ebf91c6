-- Notes that all members were read. Returns a row if the list is newer than the last one, or as new.
-- ?1 channel, ?2 whether the members are known, ?3 when they were read, ?4 a time that is too late for any event
UPDATE channels SET
    members_at = ?3,
    members_known = CASE WHEN members_at = ?3 THEN MIN(members_known, ?2) ELSE ?2 END
WHERE key = ?1 AND (members_at <= ?3 OR (members_at > ?4 AND ?3 <= ?4));
