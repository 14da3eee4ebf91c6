-- True if somebody has got a notice of a limit since then: the user or, if there is none, anybody in the channel.
-- ?1 workspace, ?2 after, ?3 channel, ?4 user, ?5 message id to leave out
SELECT EXISTS (
    SELECT 1 FROM replies AS r INDEXED BY replies_by_time
    JOIN messages AS m ON m.channel = r.channel AND m.ts_key = r.ts_key
    WHERE r.workspace = ?1 AND r.asked_at > ?2 AND r.over_limit = 1 AND (r.channel <> ?3 OR r.ts_key <> ?5)
        AND CASE WHEN ?4 IS NULL THEN r.channel = ?3 ELSE m.user_id = ?4 END
);
