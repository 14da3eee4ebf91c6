-- A part that was withdrawn, and arrived all the same, is retracted; returns whether it is.
-- ?1 channel, ?2 message id, ?3 number, ?4 the post
UPDATE reply_parts SET
    posted_key = ?4,
    retracted = CASE WHEN posted_key IS NULL AND text = '' THEN 1 ELSE retracted END
WHERE channel = ?1 AND ts_key = ?2 AND number = ?3 AND COALESCE(posted_key, ?4) = ?4
RETURNING retracted = 1;
