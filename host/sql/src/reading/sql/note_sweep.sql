-- ?1 channel, ?2 workspace, ?3 through, NULL at the end, ?4 hidden messages, ?5 now
INSERT INTO sweeps (channel, workspace, through, hidden, ended_at, began_at, good_through)
VALUES (?1, ?2, ?3, ?4, CASE WHEN CAST(?3 AS BIGINT) IS NULL THEN ?5 END, ?5, (SELECT read_through FROM channels WHERE key = ?1))
ON CONFLICT (channel) DO UPDATE SET
    through = excluded.through,
    hidden = CASE WHEN excluded.through IS NULL THEN excluded.hidden ELSE sweeps.hidden END,
    ended_at = COALESCE(excluded.ended_at, sweeps.ended_at),
    began_at = CASE WHEN sweeps.through IS NULL THEN excluded.began_at ELSE sweeps.began_at END,
    good_through = CASE
        WHEN excluded.through IS NOT NULL THEN sweeps.good_through
        WHEN sweeps.through IS NULL THEN excluded.began_at * 1000000
        ELSE sweeps.began_at * 1000000
    END,
    refused_at = NULL,
    refusal = NULL;
