-- ?1 workspace, ?2 now
DELETE FROM judgments WHERE workspace = ?1 AND until <= ?2;
