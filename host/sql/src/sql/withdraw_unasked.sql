-- Nobody waits for an unasked answer without parts. Arguments as in withdraw_parts.sql
DELETE FROM replies
WHERE workspace = ?1 AND state = 0 AND kind = 1 AND (channel <> ?2) = ?3 AND NOT EXISTS (
    SELECT 1 FROM reply_parts AS p WHERE p.channel = replies.channel AND p.ts_key = replies.ts_key
);
