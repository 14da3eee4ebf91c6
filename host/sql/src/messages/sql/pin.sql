-- ?1 channel, ?2 message id, ?3 source, ?4 whose emoji, ?5 who, ?6 whether it is pinned, ?7 the event's time
INSERT INTO message_pins (channel, ts_key, source, emoji_of, user_id, is_pinned, changed_key)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (channel, ts_key, source, emoji_of) DO UPDATE
SET user_id = excluded.user_id, is_pinned = excluded.is_pinned, changed_key = excluded.changed_key
WHERE excluded.changed_key > message_pins.changed_key OR (
    excluded.changed_key = message_pins.changed_key
    AND (excluded.is_pinned, excluded.user_id) < (message_pins.is_pinned, message_pins.user_id)
);
