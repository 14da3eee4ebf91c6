-- ?1 workspace, ?2 time
INSERT INTO sync_state (workspace, connected_through) VALUES (?1, ?2)
ON CONFLICT (workspace) DO UPDATE SET
    connected_through = MAX(sync_state.connected_through, excluded.connected_through);
