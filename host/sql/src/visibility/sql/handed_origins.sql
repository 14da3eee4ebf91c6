-- The sets of these memories; NULL if one is not known. ?1 workspace, ?2 memories, a JSON array
SELECT DISTINCT m.origins
FROM integers(?2) AS h
LEFT JOIN memories AS m ON m.id = h.value AND m.workspace = ?1;
