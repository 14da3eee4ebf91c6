-- Everybody without a row was no member when all members were last read. If two statements have the same time, leaving
-- wins.
-- ?1 channel, ?2 user id, ?3 whether a member, ?4 the event's time, ?5 a time that is too late for any event
INSERT INTO channel_members (channel, user_id, is_member, known_at)
SELECT ?1, ?2, ?3, ?4 FROM channels
WHERE key = ?1 AND (
    members_at < ?4
    OR (members_at > ?5 AND ?4 <= ?5)
    OR EXISTS (SELECT 1 FROM channel_members WHERE channel = ?1 AND user_id = ?2)
)
ON CONFLICT (channel, user_id) DO UPDATE SET is_member = ?3, known_at = ?4
WHERE (channel_members.known_at, 1 - channel_members.is_member) < (?4, 1 - ?3)
    OR (channel_members.known_at > ?5 AND ?4 <= ?5);
