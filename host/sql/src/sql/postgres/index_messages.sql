-- Several messages at once. ?1 rows, a JSON array, ?2 their terms, each joined by spaces, a JSON array, ?3 the bits of a message's key
-- in a row's id, plus 1
INSERT INTO message_index (rowid, terms, tokens)
SELECT r.value, t.value, ARRAY(SELECT c.workspace || ' ' || term FROM unnest(string_to_array(t.value, ' ')) AS term)
FROM integers(?1) AS r
JOIN texts(?2) AS t ON t.key = r.key
JOIN channels AS c ON c.key = r.value / ?3;
