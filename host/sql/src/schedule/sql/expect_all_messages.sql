-- The first version is to include the channel's oldest message. ?1 channel
UPDATE channels SET history_through = (
    SELECT MIN(ts_key) - 1 FROM messages WHERE channel = ?1 AND deleted_at IS NULL
), has_history = 0
WHERE key = ?1;
