-- ?1 workspace, ?2 channel id, ?3 since, ?4 now
INSERT INTO unread_channels (workspace, channel, since, tries, next_try_at)
SELECT workspace, key, ?3, 0, ?4 FROM channels WHERE workspace = ?1 AND id = ?2
ON CONFLICT (channel) DO UPDATE SET
    since = MIN(unread_channels.since, COALESCE(excluded.since, unread_channels.since)), -- NULL, for the whole history, stays
    next_try_at = excluded.next_try_at;
