-- What people want forgotten, and how long messages are kept.

-- Messages that are refused when they arrive: of a channel, of a user, or of all, up to a message's key.
CREATE TABLE tombstones (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2, 3)), -- 0 all, 1 a channel's, 2 a user's, 3 what is kept long enough
    subject TEXT NOT NULL, -- the id of the channel or user; else empty
    through INTEGER NOT NULL, -- the newest key that is refused
    made_at INTEGER NOT NULL, -- Unix seconds
    PRIMARY KEY (workspace, kind, subject)
) STRICT, WITHOUT ROWID;

-- Whether a deleted message was only kept long enough, so that what was made from it stays.
ALTER TABLE messages ADD COLUMN expired INTEGER NOT NULL DEFAULT 0 CHECK (expired IN (0, 1));
CREATE INDEX messages_of_user ON messages (workspace, user_id) WHERE deleted_at IS NULL OR expired = 1;
