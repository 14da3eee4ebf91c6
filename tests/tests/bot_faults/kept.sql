-- The events that were kept; ?1 is not used.
SELECT w.id AS workspace, e.event_id, ?1 AS unused
FROM events AS e
JOIN workspaces AS w ON w.key = e.workspace
