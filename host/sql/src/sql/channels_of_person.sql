-- The channels that a person is in, and the bot: of the others it does not hear any more. ?1 workspace, ?2 user id
SELECT c.key
FROM channel_members AS m
JOIN channels AS c ON c.key = m.channel
WHERE m.user_id = ?2 AND m.is_member = 1 AND c.workspace = ?1 AND c.present = 1;
