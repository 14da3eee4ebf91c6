-- bring_back_connected_through
-- ?1 workspace, ?2 now, ?3 the latest time that can be right
UPDATE sync_state SET connected_through = ?2 WHERE workspace = ?1 AND connected_through > ?3;
