-- ?1 token, ?2 the channels that may be seen, a JSON array, ?3 the bits of a message's key in a row's id, plus 1, ?4 limit
SELECT rowid FROM message_index
WHERE tokens @> ARRAY[?1] AND rowid / ?3 IN (SELECT value FROM integers(?2))
LIMIT ?4;
