-- The recordings of calls that were given a message or a memory. ?1 messages, ?2 memories, JSON arrays
SELECT r.recording FROM integers(?1) AS k
JOIN messages AS m ON m.key = k.value
JOIN recorded_messages AS r ON r.channel = m.channel AND r.ts_key = m.ts_key
UNION
SELECT r.recording FROM recorded_memories AS r WHERE r.memory IN (SELECT value FROM integers(?2));
