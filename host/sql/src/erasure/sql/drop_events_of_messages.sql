-- Events that were set aside and name one of these messages. ?1 workspace, ?2 messages, a JSON array
DELETE FROM events
WHERE workspace = ?1 AND state = 2 AND EXISTS (
    SELECT 1 FROM integers(?2) AS k JOIN messages AS m ON m.key = k.value
    WHERE INSTR(
        events.payload,
        CAST(m.ts_key / 1000000 AS TEXT) || '.' || SUBSTR(CAST(1000000 + m.ts_key % 1000000 AS TEXT), 2)
    ) > 0
);
