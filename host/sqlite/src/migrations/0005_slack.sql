-- What a bot in Slack needs: waiting events, when names and texts were last reported, answers, and how far it has read.
-- A `_at` column of names and presence is 0 if no event has set it: an import has no times of changes.

ALTER TABLE users ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0; -- Unix seconds

ALTER TABLE channels ADD COLUMN name_at INTEGER NOT NULL DEFAULT 0; -- the key of the event's time, as the next two
ALTER TABLE channels ADD COLUMN private_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE channels ADD COLUMN present_at INTEGER NOT NULL DEFAULT 0;
-- Whether the bot is in the channel, and the channel is neither archived nor deleted. The component sees no other
-- channels.
ALTER TABLE channels ADD COLUMN present INTEGER NOT NULL DEFAULT 1 CHECK (present IN (0, 1));
-- The channel's history was read up to this message; NULL if it was not read yet.
ALTER TABLE channels ADD COLUMN read_through INTEGER;

-- Since when the message has this text: the key of the edit's time, or the message's own key; 0 for a deleted message
-- of which nothing else is known.
ALTER TABLE messages ADD COLUMN changed_key INTEGER NOT NULL DEFAULT 0;
UPDATE messages SET changed_key = MAX(ts_key, COALESCE(edited_at * 1000000 + 999999, 0));

-- Threads with a message that was changed, deleted or late, so that their memories are out of date. A memory that a
-- later run makes removes the row.
CREATE TABLE changed_threads (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    channel INTEGER NOT NULL REFERENCES channels (key),
    thread_key INTEGER NOT NULL,
    changed_at INTEGER NOT NULL, -- when it was written here, in Unix seconds; 0 for imports
    PRIMARY KEY (workspace, channel, thread_key)
) STRICT, WITHOUT ROWID;

-- Events as they arrived. An applied event has no payload; its row stays for a while, so that duplicates are
-- recognized.
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- in order of arrival
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    event_id TEXT NOT NULL,
    received_at INTEGER NOT NULL, -- milliseconds since 1970
    payload TEXT NOT NULL CHECK (payload = '' OR state <> 1),
    state INTEGER NOT NULL DEFAULT 0 CHECK (state IN (0, 1, 2)), -- 0 waits, 1 applied, 2 set aside
    failures INTEGER NOT NULL DEFAULT 0,
    next_try_at INTEGER NOT NULL DEFAULT 0, -- Unix seconds, as the next
    applied_at INTEGER,
    error TEXT,
    UNIQUE (workspace, event_id)
) STRICT;
CREATE INDEX events_waiting ON events (workspace, id) WHERE state = 0;
CREATE INDEX events_applied ON events (workspace, applied_at) WHERE state = 1;
CREATE INDEX events_set_aside ON events (workspace, id) WHERE state = 2;

-- Answers, one for each message that is answered.
CREATE TABLE replies (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    channel INTEGER NOT NULL REFERENCES channels (key),
    ts_key INTEGER NOT NULL, -- of the message that is answered
    thread_key INTEGER, -- where the answer goes; NULL for the top level
    kind INTEGER NOT NULL CHECK (kind IN (0, 1)), -- 0 a mention, 1 of its own accord
    state INTEGER NOT NULL CHECK (state IN (0, 1, 2, 3)), -- 0 waits, 1 posted, 2 given up, 3 its message was deleted
    asked_at INTEGER NOT NULL, -- Unix seconds, as the next
    next_try_at INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    PRIMARY KEY (channel, ts_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX replies_waiting ON replies (workspace, asked_at, ts_key) WHERE state = 0;
CREATE INDEX replies_by_time ON replies (workspace, asked_at, ts_key);

-- The parts in which an answer is posted, stored before the first part is sent.
CREATE TABLE reply_parts (
    channel INTEGER NOT NULL,
    ts_key INTEGER NOT NULL,
    number INTEGER NOT NULL, -- from 0
    text TEXT NOT NULL, -- empty once the answer is posted or given up
    sending INTEGER NOT NULL DEFAULT 0 CHECK (sending IN (0, 1)), -- 1 from just before it is sent
    posted_key INTEGER, -- its message
    PRIMARY KEY (channel, ts_key, number),
    FOREIGN KEY (channel, ts_key) REFERENCES replies (channel, ts_key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- The newest judgment of each conversation, until it is judged again.
CREATE TABLE judgments (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    channel INTEGER NOT NULL REFERENCES channels (key),
    thread_key INTEGER NOT NULL, -- 0 for the top level
    ts_key INTEGER NOT NULL, -- the newest message that it knows of
    should_respond INTEGER NOT NULL CHECK (should_respond IN (0, 1)),
    confidence REAL NOT NULL,
    until INTEGER NOT NULL, -- Unix seconds
    PRIMARY KEY (channel, thread_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX judgments_by_end ON judgments (workspace, until);

CREATE TABLE sync_state (
    workspace INTEGER PRIMARY KEY REFERENCES workspaces (key),
    connected_through INTEGER NOT NULL -- Unix seconds
) STRICT;
