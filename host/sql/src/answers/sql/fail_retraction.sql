-- ?1 channel, ?2 post, ?3 now, ?4 whether a later try may succeed, ?5 error. The wait doubles from a minute to an hour.
UPDATE reply_parts SET retracted = CASE WHEN ?4 = 1 THEN 1 ELSE 3 END, retraction_error = ?5,
    retraction_failures = retraction_failures + 1, retract_at = ?3 + MIN(60 << CAST(MIN(retraction_failures, 6) AS INTEGER), 3600)
WHERE channel = ?1 AND posted_key = ?2 AND retracted = 1;
