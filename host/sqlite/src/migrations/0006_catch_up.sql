-- What catching up with Slack has to remember, and which mentions were too many.

-- Channels whose history could not be read. They are tried again.
CREATE TABLE unread_channels (
    channel INTEGER PRIMARY KEY REFERENCES channels (key),
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    since INTEGER, -- where the gap began, in Unix seconds; NULL for a channel of which nothing was read yet
    tries INTEGER NOT NULL,
    next_try_at INTEGER NOT NULL -- Unix seconds
) STRICT;

-- Messages that an answer of Slack lacked. Each is asked for by itself before it counts as deleted.
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

-- 1: a mention beyond the limit, which is told so; 2: one that is left unanswered.
ALTER TABLE replies ADD COLUMN over_limit INTEGER NOT NULL DEFAULT 0 CHECK (over_limit IN (0, 1, 2));
