-- What people mark as done with an emoji. A message need not be stored.
CREATE TABLE done_marks (
    channel INTEGER NOT NULL REFERENCES channels (key),
    ts_key INTEGER NOT NULL,
    user_id TEXT NOT NULL, -- whose mark it is
    emoji TEXT NOT NULL,
    is_given INTEGER NOT NULL CHECK (is_given IN (0, 1)), -- 0 if it was taken back
    at INTEGER NOT NULL, -- the key of the newest change
    PRIMARY KEY (channel, ts_key, user_id, emoji)
) STRICT, WITHOUT ROWID;
