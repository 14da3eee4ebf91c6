-- ?1 channel, ?2 workspace, ?3 why, ?4 now
INSERT INTO sweeps (channel, workspace, hidden, good_through, refused_at, refusal)
VALUES (?1, ?2, 0, (SELECT read_through FROM channels WHERE key = ?1), ?4, ?3)
ON CONFLICT (channel) DO UPDATE SET refused_at = excluded.refused_at, refusal = excluded.refusal;
