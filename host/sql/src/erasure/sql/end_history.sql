-- The channel has its first version: what neither was taken nor waits is history. ?1 channel
UPDATE channels SET history_through = NULL, has_history = CASE WHEN EXISTS (
    SELECT 1 FROM messages AS m
    WHERE m.channel = ?1 AND m.news_of = 0 AND m.deleted_at IS NULL
        AND m.ts_key > COALESCE((SELECT MAX(i.ts_key) FROM imported_versions AS i WHERE i.channel = ?1), -1)
) THEN 1 ELSE 0 END
WHERE key = ?1;
