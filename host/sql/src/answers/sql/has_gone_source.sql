-- True if an answer is made from a message that is deleted. ?1 channel, ?2 message id
SELECT EXISTS (
    SELECT 1 FROM reply_sources AS s
    JOIN messages AS m ON m.channel = s.source_channel AND m.ts_key = s.source_key
    WHERE s.channel = ?1 AND s.ts_key = ?2 AND m.deleted_at IS NOT NULL AND m.expired = 0
);
