-- ?1 memory, ?2 terms, joined by spaces
INSERT INTO memory_index (rowid, terms, tokens)
SELECT ?1, ?2, ARRAY(SELECT m.workspace || ' ' || term FROM unnest(string_to_array(?2, ' ')) AS term)
FROM memories AS m
WHERE m.id = ?1;
