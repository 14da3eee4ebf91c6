-- Mentions that were or will be answered. ?1 workspace, ?2 written after, ?3 time of the mention, ?4 its message id:
-- only earlier mentions count, ?5 channel
SELECT COUNT(*), MIN(asked_at), MAX(asked_at)
FROM replies INDEXED BY replies_by_time
WHERE workspace = ?1 AND asked_at > ?2 AND (asked_at, ts_key) < (?3, ?4)
    AND kind = 0 AND state IN (0, 1) AND over_limit = 0 AND channel = ?5;
