-- ?1 workspace, ?2 channel, ?3 since, ?4 now, ?5 first wait, ?6 longest wait
INSERT INTO unread_channels (workspace, channel, since, tries, next_try_at) VALUES (?1, ?2, ?3, 1, ?4 + ?5)
ON CONFLICT DO UPDATE SET
    since = MIN(since, COALESCE(excluded.since, since)), -- NULL, for the whole history, stays
    tries = MIN(tries + 1, 30),
    next_try_at = ?4 + MIN(?5 << tries, ?6);
