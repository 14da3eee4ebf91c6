-- Late messages of a channel wait for its next version, whenever that is made. ?1 workspace
SELECT MIN(MAX(oldest_new_key, watermark + 1)) FROM backlog
WHERE workspace = ?1 AND thread_key = 0 AND oldest_new_key IS NOT NULL
    AND EXISTS (SELECT 1 FROM channels WHERE key = backlog.channel AND present = 1);
