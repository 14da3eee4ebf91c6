-- ?1 memory, ?2 workspace, ?3 channel id, ?4 message ids, a JSON array
INSERT INTO handed_messages (message, memory)
SELECT m.key, ?1
FROM channels AS c
CROSS JOIN integers(?4) AS given ON true
CROSS JOIN messages AS m ON m.channel = c.key AND m.ts_key = given.value
WHERE c.workspace = ?2 AND c.id = ?3
    AND NOT EXISTS (SELECT 1 FROM memory_source_messages AS s WHERE s.memory = ?1 AND s.message = m.key)
ON CONFLICT DO NOTHING;
