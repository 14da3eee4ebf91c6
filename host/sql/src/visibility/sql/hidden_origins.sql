-- Which of these sets contain a channel that may not be seen from a place.
-- ?1 sets, a JSON array, ?2 the place's own channels, a JSON array, ?3 whether the place may see what is open elsewhere
SELECT s.value
FROM integers(?1) AS s
WHERE EXISTS (
    SELECT 1
    FROM origin_channels AS o
    JOIN channel_audience AS a ON a.channel = o.channel
    WHERE o.origins = s.value AND o.channel NOT IN (SELECT value FROM integers(?2)) AND NOT (?3 = 1 AND a.is_public = 1)
);
