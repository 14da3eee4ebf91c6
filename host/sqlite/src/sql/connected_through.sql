-- ?1 workspace
SELECT connected_through FROM sync_state WHERE workspace = ?1;
