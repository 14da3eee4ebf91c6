-- The channels from which these memories were made. ?1 workspace, ?2 memories, a JSON array
SELECT DISTINCT channel
FROM origin_channels
WHERE origins IN (
    SELECT m.origins FROM integers(?2) AS h JOIN memories AS m ON m.id = h.value
    WHERE m.workspace = ?1 AND m.origins IS NOT NULL
)
ORDER BY channel;
