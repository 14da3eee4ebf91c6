-- What people say with an emoji of the bot's answers.
CREATE TABLE feedback (
    channel INTEGER NOT NULL REFERENCES channels (key),
    posted_key INTEGER NOT NULL, -- the message that the bot posted
    user_id TEXT NOT NULL,
    is_good INTEGER NOT NULL CHECK (is_good IN (0, 1)),
    is_given INTEGER NOT NULL CHECK (is_given IN (0, 1)), -- 0 if it was taken back
    at INTEGER NOT NULL, -- the key of the newest change
    PRIMARY KEY (channel, posted_key, user_id, is_good)
) STRICT, WITHOUT ROWID;
