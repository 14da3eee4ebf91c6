-- ?1 workspace, ?2 channel, ?3 since, ?4 now, ?5 first wait, ?6 longest wait
INSERT INTO unread_channels (workspace, channel, since, tries, next_try_at) VALUES (?1, ?2, ?3, 1, ?4 + ?5)
ON CONFLICT (channel) DO UPDATE SET
    since = MIN(unread_channels.since, COALESCE(excluded.since, unread_channels.since)), -- NULL, for the whole history, stays
    tries = MIN(unread_channels.tries + 1, 30),
    next_try_at = ?4 + MIN(?5 << CAST(unread_channels.tries AS INTEGER), ?6);
