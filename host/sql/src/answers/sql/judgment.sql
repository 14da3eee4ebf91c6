-- ?1 channel, ?2 thread
SELECT ts_key, should_respond, confidence, until FROM judgments WHERE channel = ?1 AND thread_key = ?2;
