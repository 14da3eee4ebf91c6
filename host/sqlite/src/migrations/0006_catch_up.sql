-- What catching up with Slack must remember, and which mentions were above the limit.

-- Channels whose history could not be read. Reading them is retried.
CREATE TABLE unread_channels (
    channel INTEGER PRIMARY KEY REFERENCES channels (key),
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    since INTEGER, -- where the gap began, in Unix seconds; NULL for a channel of which nothing was read yet
    tries INTEGER NOT NULL,
    next_try_at INTEGER NOT NULL -- Unix seconds
) STRICT;

-- Messages that were missing from a response of Slack. Each is requested separately before it counts as deleted.
CREATE TABLE missing_messages (
    channel INTEGER NOT NULL REFERENCES channels (key),
    ts_key INTEGER NOT NULL,
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    thread_key INTEGER, -- NULL for the top level
    tries INTEGER NOT NULL DEFAULT 0,
    next_try_at INTEGER NOT NULL DEFAULT 0, -- Unix seconds
    PRIMARY KEY (channel, ts_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX missing_messages_due ON missing_messages (workspace, next_try_at);

-- 1: the first mention above the limit, whose author gets a notice; 2: a mention that is left unanswered.
ALTER TABLE replies ADD COLUMN over_limit INTEGER NOT NULL DEFAULT 0 CHECK (over_limit IN (0, 1, 2));
