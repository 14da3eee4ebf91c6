-- ?1 workspace
SELECT next_tick FROM backfill WHERE workspace = ?1;
