-- Parts of answers that were not sent. ?1 workspace, ?2 channel, ?3 1: of answers elsewhere, 0: of those in this channel
DELETE FROM reply_parts
WHERE posted_key IS NULL AND sending = 0 AND (channel, ts_key) IN (
    SELECT channel, ts_key FROM replies INDEXED BY replies_waiting
    WHERE workspace = ?1 AND state = 0 AND CASE WHEN channel <> ?2 THEN 1 ELSE 0 END = ?3
);
