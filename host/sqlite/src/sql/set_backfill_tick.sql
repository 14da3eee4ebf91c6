-- ?1 workspace, ?2 Unix seconds
INSERT OR REPLACE INTO backfill (workspace, next_tick) VALUES (?1, ?2);
