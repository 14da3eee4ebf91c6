-- ?1 row, ?2 terms, joined by spaces, ?3 channel
INSERT INTO message_index (rowid, terms, tokens)
SELECT ?1, ?2, ARRAY(SELECT c.workspace || ' ' || term FROM unnest(string_to_array(?2, ' ')) AS term)
FROM channels AS c
WHERE c.key = ?3;
