-- ?1 channel, ?2 user ids as a JSON array, ?3 when they were read, ?4 a time that is too late for any event
INSERT INTO channel_members (channel, user_id, is_member, known_at)
SELECT DISTINCT ?1, value, 1, ?3 FROM texts(?2) WHERE true
ON CONFLICT (channel, user_id) DO UPDATE SET is_member = 1, known_at = ?3
WHERE channel_members.known_at < ?3 OR (channel_members.known_at > ?4 AND ?3 <= ?4);
