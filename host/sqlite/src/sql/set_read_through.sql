-- ?1 channel, ?2 message id
UPDATE channels SET read_through = MAX(COALESCE(read_through, ?2), ?2) WHERE key = ?1;
