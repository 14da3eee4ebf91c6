-- Nobody waits for an unasked answer without parts. Arguments as in withdraw_parts.sql
DELETE FROM replies
WHERE workspace = ?1 AND state = 0 AND kind = 1 AND CASE WHEN channel <> ?2 THEN 1 ELSE 0 END = ?3 AND NOT EXISTS (
    SELECT 1 FROM reply_parts AS p WHERE p.channel = replies.channel AND p.ts_key = replies.ts_key
);
