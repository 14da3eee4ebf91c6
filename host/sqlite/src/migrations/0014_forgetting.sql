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

-- From which messages each answer was made. A message need not be stored.
CREATE TABLE reply_sources (
    channel INTEGER NOT NULL, -- of the answer, as the next
    ts_key INTEGER NOT NULL,
    source_channel INTEGER NOT NULL REFERENCES channels (key),
    source_key INTEGER NOT NULL,
    PRIMARY KEY (channel, ts_key, source_channel, source_key),
    FOREIGN KEY (channel, ts_key) REFERENCES replies (channel, ts_key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX reply_sources_by_message ON reply_sources (source_channel, source_key);
-- Whether a posted part is to be replaced by a note: 0 no, 1 the platform still shows it, 2 it does not.
ALTER TABLE reply_parts ADD COLUMN retracted INTEGER NOT NULL DEFAULT 0 CHECK (retracted IN (0, 1, 2));
CREATE INDEX reply_parts_retracted ON reply_parts (channel, posted_key) WHERE retracted = 1;
