-- The channels that a person is in, and the bot: of the others it does not hear any more, or has not yet read what it missed.
-- ?1 workspace, ?2 user id
SELECT c.key
FROM channel_members AS m
JOIN channels AS c ON c.key = m.channel
WHERE m.user_id = ?2 AND m.is_member = 1 AND c.workspace = ?1 AND c.present = 1
    AND (c.is_private = 0 OR c.is_behind = 0);
