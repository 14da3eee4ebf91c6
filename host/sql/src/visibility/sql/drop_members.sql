-- Those who are not in a list were no members when it was made.
-- ?1 channel, ?2 user ids as a JSON array, ?3 when they were read, ?4 a time that is too late for any event
DELETE FROM channel_members
WHERE channel = ?1 AND (known_at <= ?3 OR (known_at > ?4 AND ?3 <= ?4))
    AND user_id NOT IN (SELECT value FROM texts(?2));
