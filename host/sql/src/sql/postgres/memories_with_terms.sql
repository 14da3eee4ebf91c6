-- ?1 tokens, a JSON array
SELECT wanted.key, i.rowid
FROM texts(?1) AS wanted
JOIN memory_index AS i ON i.tokens @> ARRAY[wanted.value];
