-- What is pinned. A message need not be stored.
CREATE TABLE message_pins (
    channel INTEGER NOT NULL REFERENCES channels (key),
    ts_key INTEGER NOT NULL,
    source INTEGER NOT NULL CHECK (source IN (0, 1, 2)), -- 0 the platform's pin, 1 a person's emoji, 2 the operator
    emoji_of TEXT NOT NULL, -- the person whose emoji it is; else empty
    user_id TEXT NOT NULL, -- who pinned it, or took the pin off; empty if not known, and for the operator
    is_pinned INTEGER NOT NULL CHECK (is_pinned IN (0, 1)),
    changed_key INTEGER NOT NULL, -- the key of the event's time
    PRIMARY KEY (channel, ts_key, source, emoji_of)
) STRICT, WITHOUT ROWID;
