-- Messages that no version has as news; ?1 is not used.
SELECT workspace, channel, ts_key, ?1 AS unused
FROM messages
WHERE news_of IS NULL AND deleted_at IS NULL
