-- History begins to wait. ?1 channel
UPDATE messages SET news_of = NULL
WHERE channel = ?1 AND news_of = 0
    AND ts_key > COALESCE((SELECT MAX(i.ts_key) FROM imported_versions AS i WHERE i.channel = ?1), -1);
