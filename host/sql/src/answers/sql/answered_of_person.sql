-- Mentions that were or will be answered. ?1 workspace, ?2 written after, ?3 time of the mention, ?4 its message id:
-- only earlier mentions count, ?5 user
SELECT COUNT(*), MIN(r.asked_at), MAX(r.asked_at)
FROM replies AS r INDEXED BY replies_by_time
JOIN messages AS m ON m.channel = r.channel AND m.ts_key = r.ts_key
WHERE r.workspace = ?1 AND r.asked_at > ?2 AND (r.asked_at, r.ts_key) < (?3, ?4)
    AND r.kind = 0 AND r.state IN (0, 1) AND r.over_limit = 0 AND m.user_id = ?5;
