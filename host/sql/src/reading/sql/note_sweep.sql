-- ?1 channel, ?2 workspace, ?3 through, NULL at the end, ?4 hidden messages, ?5 now
INSERT INTO sweeps (channel, workspace, through, hidden, ended_at)
VALUES (?1, ?2, ?3, ?4, CASE WHEN CAST(?3 AS BIGINT) IS NULL THEN ?5 END)
ON CONFLICT (channel) DO UPDATE SET
    through = excluded.through,
    hidden = CASE WHEN excluded.through IS NULL THEN excluded.hidden ELSE sweeps.hidden END,
    ended_at = COALESCE(excluded.ended_at, sweeps.ended_at);
