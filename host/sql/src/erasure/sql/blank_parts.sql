-- Parts that may have been sent are looked for, but not sent again. Arguments as in withdraw_parts.sql
UPDATE reply_parts SET text = ''
WHERE posted_key IS NULL AND (channel, ts_key) IN (
    SELECT channel, ts_key FROM replies INDEXED BY replies_waiting
    WHERE workspace = ?1 AND state = 0 AND CASE WHEN channel <> ?2 THEN 1 ELSE 0 END = ?3
);
