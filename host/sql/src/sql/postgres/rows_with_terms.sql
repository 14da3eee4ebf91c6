-- ?1 tokens, a JSON array, ?2 the channels that may be seen, a JSON array, ?3 the bits of a message's key in a row's id, plus 1, ?4 how
-- many rows of each token at most. IS TRUE has the channels hashed, instead of each compared with each row
SELECT wanted.key, found.rowid
FROM texts(?1) AS wanted
JOIN LATERAL (
    SELECT i.rowid FROM message_index AS i
    WHERE i.tokens @> ARRAY[wanted.value] AND (i.rowid / ?3 IN (SELECT value FROM integers(?2))) IS TRUE
    LIMIT ?4
) AS found ON true;
