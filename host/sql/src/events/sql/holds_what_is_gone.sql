-- True if an event may hold a text that was edited, deleted or forgotten since it came, or that was said off the record. ?1 workspace, ?2 event, ?3 the
-- message ids in it, a JSON array
SELECT EXISTS (
    SELECT 1
    FROM channels AS c
    CROSS JOIN integers(?3) AS k ON true
    CROSS JOIN messages AS m ON m.channel = c.key AND m.ts_key = k.value
    WHERE c.workspace = ?1 AND (m.deleted_at IS NOT NULL OR m.edited_at IS NOT NULL)
) OR EXISTS (
    SELECT 1
    FROM events AS e
    JOIN tombstones AS t ON t.workspace = e.workspace AND t.kind <> 3 AND t.made_at * 1000 + 999 >= e.received_at
    WHERE e.workspace = ?1 AND e.id = ?2
) OR EXISTS (
    SELECT 1
    FROM events AS e
    JOIN off_record AS o ON o.workspace = e.workspace AND o.since / 1000 <= e.received_at
    WHERE e.workspace = ?1 AND e.id = ?2 AND (o.until IS NULL OR o.until / 1000 >= e.received_at - 86400000)
);
