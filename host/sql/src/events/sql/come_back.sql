-- The bot comes back into a channel that it had left: what it missed is read. ?1 workspace, ?2 channel id, ?3 now
INSERT INTO unread_channels (workspace, channel, since, tries, next_try_at)
SELECT workspace, key, present_at / 1000000, 0, ?3
FROM channels
WHERE workspace = ?1 AND id = ?2 AND present = 0 AND is_behind = 1
ON CONFLICT (channel) DO UPDATE SET
    since = MIN(unread_channels.since, excluded.since), -- NULL, for the whole history, stays
    next_try_at = excluded.next_try_at;
