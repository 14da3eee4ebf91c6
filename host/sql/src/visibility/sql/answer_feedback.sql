-- How many people say that an answer was bad, and good. ?1 channel, ?2 the message that it answers
SELECT COUNT(DISTINCT f.user_id) FILTER (WHERE f.is_good = 0), COUNT(DISTINCT f.user_id) FILTER (WHERE f.is_good = 1)
FROM reply_parts AS p
JOIN feedback AS f ON f.channel = p.channel AND f.posted_key = p.posted_key
WHERE p.channel = ?1 AND p.ts_key = ?2 AND f.is_given = 1;
