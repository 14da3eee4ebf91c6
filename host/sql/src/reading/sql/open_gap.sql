-- ?1 workspace, ?2 since, ?3 until
INSERT INTO delivery_gaps (workspace, since, until) VALUES (?1, ?2, ?3)
ON CONFLICT (workspace) DO UPDATE SET
    since = MIN(delivery_gaps.since, excluded.since),
    until = MAX(delivery_gaps.until, excluded.until);
