-- ?1 channel, ?2 message id
SELECT r.asked_at, r.over_limit = 1, COALESCE(m.user_id, ''), COALESCE(m.text, '')
FROM replies AS r LEFT JOIN messages AS m ON m.channel = r.channel AND m.ts_key = r.ts_key
WHERE r.channel = ?1 AND r.ts_key = ?2 AND r.kind = 0 AND r.state = 0;
