-- ?1 workspace, ?2 Unix seconds
INSERT INTO sync_state (workspace, connected_through) VALUES (?1, ?2)
ON CONFLICT DO UPDATE SET connected_through = MAX(connected_through, excluded.connected_through);
