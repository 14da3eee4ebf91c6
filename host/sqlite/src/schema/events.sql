-- The state of a bot in Slack: waiting events, answers, and how far it has read.

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
    -- 1: the first mention above the limit, whose author gets a notice; 2: a mention that is left unanswered.
    over_limit INTEGER NOT NULL DEFAULT 0 CHECK (over_limit IN (0, 1, 2)),
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
    -- The replacement of a posted part by a note: 0 none, 1 the platform still shows it, 2 it does not, 3 parked.
    retracted INTEGER NOT NULL DEFAULT 0 CHECK (retracted IN (0, 1, 2, 3)),
    retraction_failures INTEGER NOT NULL DEFAULT 0,
    retraction_error TEXT,
    retract_at INTEGER NOT NULL DEFAULT 0, -- Unix seconds
    PRIMARY KEY (channel, ts_key, number),
    FOREIGN KEY (channel, ts_key) REFERENCES replies (channel, ts_key) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX reply_parts_retracted ON reply_parts (channel, posted_key) WHERE retracted IN (1, 3);

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

-- The time in which deliveries of Slack may be missing.
CREATE TABLE delivery_gaps (
    workspace INTEGER PRIMARY KEY REFERENCES workspaces (key),
    since INTEGER NOT NULL, -- Unix seconds
    until INTEGER NOT NULL
) STRICT;

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

-- How far stored messages were compared with the platform's, from the newest on.
CREATE TABLE sweeps (
    channel INTEGER PRIMARY KEY REFERENCES channels (key),
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    through INTEGER, -- a message id: up to it all is still to do; NULL if the last comparison has ended
    hidden INTEGER NOT NULL, -- how many messages the platform did not show at the end of the last one
    ended_at INTEGER, -- of the last one, in Unix seconds
    began_at INTEGER, -- the one under way, in Unix seconds
    -- Through this message id all of the channel is known to be stored: the last comparison began there; before the first, the channel
    -- had been read through it.
    good_through INTEGER,
    refused_at INTEGER, -- when the platform last refused it, in Unix seconds; NULL if it did not since it was last compared
    refusal TEXT -- and why
) STRICT;

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

-- People's emoji under the bot's answers.
CREATE TABLE feedback (
    channel INTEGER NOT NULL REFERENCES channels (key),
    posted_key INTEGER NOT NULL, -- the message that the bot posted
    user_id TEXT NOT NULL,
    is_good INTEGER NOT NULL CHECK (is_good IN (0, 1)),
    is_given INTEGER NOT NULL CHECK (is_given IN (0, 1)), -- 0 if it was taken back
    at INTEGER NOT NULL, -- the key of the newest change
    PRIMARY KEY (channel, posted_key, user_id, is_good)
) STRICT, WITHOUT ROWID;

-- Tokens with which agents ask for a person.
CREATE TABLE agent_tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32), -- the token's SHA-256
    made_at INTEGER NOT NULL, -- in Unix seconds
    used_at INTEGER
) STRICT;
CREATE INDEX agent_tokens_of_user ON agent_tokens (workspace, user_id);

-- The audit log: ids, times and counts; no text and no names of people. Rows are added, and removed when they are too old.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- in order
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    at INTEGER NOT NULL, -- Unix seconds
    actor TEXT, -- the id of a user, or `operator`; NULL if not known
    door INTEGER NOT NULL CHECK (door BETWEEN 0 AND 2), -- the number of audit::Door, as the next of audit::Action
    action INTEGER NOT NULL CHECK (action BETWEEN 0 AND 12),
    -- The target. Nothing of it need be stored.
    channel_id TEXT,
    ts_key INTEGER,
    user_id TEXT,
    memory INTEGER,
    token INTEGER,
    -- How much went; NULL for acts that erase nothing.
    erased_messages INTEGER,
    erased_lines INTEGER,
    erased_memories INTEGER
) STRICT;
CREATE INDEX audit_by_time ON audit (workspace, at);
