-- Times are Unix seconds. A `_key` is a message id as one number (seconds × 1,000,000 + sequence).
-- scope: 0 workspace, 1 channel, 2 thread. memory_type: 0 long-term, 1 short-term.
-- engine: 0 llm, 1 extractive, 2 imported. (The order of the cases in wit/types.wit.)

CREATE TABLE workspaces (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE users (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    id TEXT NOT NULL,
    name TEXT NOT NULL, -- empty if not known
    is_bot INTEGER NOT NULL CHECK (is_bot IN (0, 1)),
    PRIMARY KEY (workspace, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE channels (
    key INTEGER PRIMARY KEY,
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    id TEXT NOT NULL,
    name TEXT NOT NULL, -- without `#`; empty if not known
    is_private INTEGER NOT NULL CHECK (is_private IN (0, 1)),
    UNIQUE (workspace, id)
) STRICT;

-- A deleted message stays as an empty row, so that a late event cannot restore it.
CREATE TABLE messages (
    key INTEGER PRIMARY KEY,
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    channel INTEGER NOT NULL REFERENCES channels (key),
    ts_key INTEGER NOT NULL CHECK (ts_key >= 0),
    -- The first message of the thread that this one replies in; NULL for that first message too.
    thread_key INTEGER CHECK (thread_key >= 0 AND thread_key <> ts_key),
    user_id TEXT NOT NULL,
    author_name TEXT, -- where it is not the user's name
    is_bot INTEGER NOT NULL CHECK (is_bot IN (0, 1)),
    text TEXT NOT NULL,
    edited_at INTEGER,
    deleted_at INTEGER,
    UNIQUE (channel, ts_key)
) STRICT;
CREATE INDEX messages_by_thread ON messages (channel, thread_key, ts_key) WHERE thread_key IS NOT NULL;
-- With this index, counting the other messages reads no rows.
CREATE INDEX messages_deleted ON messages (channel, ts_key) WHERE deleted_at IS NOT NULL;
CREATE INDEX messages_by_time ON messages (workspace, ts_key) WHERE deleted_at IS NULL;

-- Every text that was ever saved. An overwritten text has `superseded_at` and is kept for diff and rollback; all other
-- texts are current.
CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    scope INTEGER NOT NULL CHECK (scope IN (0, 1, 2)),
    scope_id TEXT NOT NULL,
    memory_type INTEGER NOT NULL CHECK (memory_type IN (0, 1)),
    version INTEGER NOT NULL CHECK (version >= 1),
    content TEXT NOT NULL CHECK (content <> ''),
    engine INTEGER NOT NULL CHECK (engine IN (0, 1, 2)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    source_message_count INTEGER NOT NULL CHECK (source_message_count >= 0),
    source_latest_key INTEGER,
    merged_through INTEGER,
    superseded_at INTEGER
) STRICT;
CREATE UNIQUE INDEX memories_current ON memories (workspace, scope, scope_id, memory_type, version)
WHERE superseded_at IS NULL;
CREATE INDEX memories_superseded ON memories (workspace, scope, scope_id, memory_type)
WHERE superseded_at IS NOT NULL;
-- Finds the newest memory of all channels without reading each memory.
CREATE INDEX memories_newest ON memories (workspace, scope, memory_type) WHERE superseded_at IS NULL;

CREATE TABLE memory_source_messages (
    memory INTEGER NOT NULL REFERENCES memories (id),
    message INTEGER NOT NULL REFERENCES messages (key),
    PRIMARY KEY (memory, message)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_source_messages_by_message ON memory_source_messages (message);

CREATE TABLE memory_source_memories (
    memory INTEGER NOT NULL REFERENCES memories (id),
    source INTEGER NOT NULL REFERENCES memories (id),
    PRIMARY KEY (memory, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_source_memories_by_source ON memory_source_memories (source);

-- What waits: one row for each channel with messages or memories, and for each thread with a reply or a memory. Derived
-- from the other tables (sql/recount_*.sql), and updated in their transactions.
CREATE TABLE backlog (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    channel INTEGER NOT NULL REFERENCES channels (key),
    thread_key INTEGER NOT NULL, -- 0 for the channel as a whole
    first_reply_key INTEGER, -- of threads
    newest_key INTEGER,
    oldest_new_key INTEGER, -- the oldest message after the watermark
    new_count INTEGER NOT NULL, -- messages after the watermark
    watermark INTEGER NOT NULL, -- -1 for none
    short_term_id INTEGER NOT NULL, -- the newest short-term memory; 0 for none
    merged_through INTEGER NOT NULL, -- of the channel's long-term memory; 0 for none
    PRIMARY KEY (channel, thread_key)
) STRICT, WITHOUT ROWID;
-- These indexes contain only what waits, or are sorted so that the rest is never read.
CREATE INDEX backlog_channel_waits ON backlog (workspace, newest_key, oldest_new_key)
WHERE thread_key = 0 AND short_term_id > 0 AND oldest_new_key IS NOT NULL;
CREATE INDEX backlog_channel_many ON backlog (workspace, new_count, oldest_new_key)
WHERE thread_key = 0 AND short_term_id > 0;
CREATE INDEX backlog_channel_never ON backlog (workspace, newest_key, oldest_new_key)
WHERE thread_key = 0 AND short_term_id = 0;
CREATE INDEX backlog_channel_unmerged ON backlog (workspace)
WHERE thread_key = 0 AND short_term_id > merged_through;
CREATE INDEX backlog_thread_waits ON backlog (workspace, oldest_new_key, first_reply_key)
WHERE thread_key > 0 AND short_term_id > 0 AND oldest_new_key IS NOT NULL;
CREATE INDEX backlog_thread_never ON backlog (workspace, newest_key, first_reply_key)
WHERE thread_key > 0 AND short_term_id = 0;

-- Where a stopped backfill continues.
CREATE TABLE backfill (
    workspace INTEGER PRIMARY KEY REFERENCES workspaces (key),
    next_tick INTEGER NOT NULL
) STRICT;
