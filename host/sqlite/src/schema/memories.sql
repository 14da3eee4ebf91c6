-- Memories, the messages that each of their lines was made from, and what waits for the next version.

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

-- Waiting messages: one row for each channel with messages or memories, and for each thread with a reply or a memory. Derived
-- from the other tables (recount_*.sql), and updated in their transactions.
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

CREATE TABLE memories (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    scope INTEGER NOT NULL CHECK (scope IN (0, 1, 2)),
    scope_id TEXT NOT NULL,
    memory_type INTEGER NOT NULL CHECK (memory_type IN (0, 1)),
    version INTEGER NOT NULL CHECK (version >= 0), -- 0 for a stand-in
    content TEXT NOT NULL CHECK (content <> ''),
    engine INTEGER NOT NULL CHECK (engine IN (0, 1, 2)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    source_message_count INTEGER NOT NULL CHECK (source_message_count >= 0),
    source_latest_key INTEGER,
    merged_through INTEGER,
    superseded_at INTEGER,
    -- NULL: not known. Then only the operator sees the text, and nothing is made from it.
    origins INTEGER REFERENCES origin_sets (key),
    revised INTEGER NOT NULL DEFAULT 0,
    -- 1 if all its input is in memory_source_messages, memory_source_memories and the two tables below. 0 for imported texts, and
    -- once a text was removed for its age.
    handed_known INTEGER NOT NULL DEFAULT 0 CHECK (handed_known IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX memories_current ON memories (workspace, scope, scope_id, memory_type, version)
WHERE superseded_at IS NULL;
CREATE INDEX memories_superseded ON memories (workspace, scope, scope_id, memory_type)
WHERE superseded_at IS NOT NULL;
-- Finds the newest memory of all channels, stand-ins excluded, without reading each memory.
CREATE INDEX memories_newest ON memories (workspace, scope, memory_type)
WHERE superseded_at IS NULL AND version > 0;
CREATE INDEX memories_by_origins ON memories (origins) WHERE origins IS NOT NULL AND superseded_at IS NULL;
CREATE INDEX memories_handed_unknown ON memories (workspace) WHERE handed_known = 0;

-- The coverage of a text; no row if that is not known. See `coverage` in wit/types.wit.
CREATE TABLE memory_coverage (
    memory INTEGER PRIMARY KEY REFERENCES memories (id),
    truncated INTEGER NOT NULL CHECK (truncated IN (0, 1)), -- the answer was cut off at its token limit
    messages INTEGER NOT NULL,
    covered INTEGER NOT NULL,
    left_out_other_channels INTEGER NOT NULL,
    left_out_workspace INTEGER NOT NULL,
    left_out_messages INTEGER NOT NULL,
    left_out_channel INTEGER NOT NULL,
    chunks INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    -- How many messages, lines or memories are not in a text because the model refuses what they say.
    refused INTEGER NOT NULL DEFAULT 0,
    -- How many of the messages were stored after newer ones were summarised.
    late INTEGER NOT NULL DEFAULT 0,
    unfounded INTEGER NOT NULL DEFAULT 0,
    records INTEGER NOT NULL DEFAULT 0,
    -- Lines of a memory that were kept although the messages do not show what they say.
    doubtful INTEGER NOT NULL DEFAULT 0,
    refused_items INTEGER NOT NULL DEFAULT 0 -- reports of the model about items that no message bears out
) STRICT;

-- Memories that could not be made and are deferred.
CREATE TABLE deferrals (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    scope INTEGER NOT NULL CHECK (scope IN (0, 1, 2)),
    scope_id TEXT NOT NULL,
    memory_type INTEGER NOT NULL CHECK (memory_type IN (0, 1)),
    until INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (workspace, scope, scope_id, memory_type)
) STRICT, WITHOUT ROWID;

-- Threads with a message that was changed, deleted or late, so that their memories are out of date. A memory that a
-- later run makes removes the row.
CREATE TABLE changed_threads (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    channel INTEGER NOT NULL REFERENCES channels (key),
    thread_key INTEGER NOT NULL,
    changed_at INTEGER NOT NULL, -- when it was written here, in Unix seconds; 0 for imports
    PRIMARY KEY (workspace, channel, thread_key)
) STRICT, WITHOUT ROWID;

-- Sets of channels. Most memories of a run are made from the same channels, so each set is stored once.
CREATE TABLE origin_sets (
    key INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE -- SHA-256 of its channels' keys
) STRICT;

CREATE TABLE origin_channels (
    origins INTEGER NOT NULL REFERENCES origin_sets (key),
    channel INTEGER NOT NULL REFERENCES channels (key),
    PRIMARY KEY (origins, channel)
) STRICT, WITHOUT ROWID;
CREATE INDEX origin_channels_by_channel ON origin_channels (channel);

-- The lines of a text, in order. Positions are in Unicode scalar values.
CREATE TABLE memory_lines (
    memory INTEGER NOT NULL REFERENCES memories (id),
    number INTEGER NOT NULL, -- from 0
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    has_source INTEGER NOT NULL CHECK (has_source IN (0, 1)),
    PRIMARY KEY (memory, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_lines_without_source ON memory_lines (memory) WHERE has_source = 0;

CREATE TABLE line_sources (
    memory INTEGER NOT NULL,
    number INTEGER NOT NULL,
    message INTEGER NOT NULL REFERENCES messages (key),
    PRIMARY KEY (memory, number, message),
    FOREIGN KEY (memory, number) REFERENCES memory_lines (memory, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX line_sources_by_message ON line_sources (message);

-- Records kept beside a memory: parts of messages, as references. Positions are in Unicode scalar values.
CREATE TABLE memory_records (
    memory INTEGER NOT NULL REFERENCES memories (id),
    number INTEGER NOT NULL, -- from 0
    message INTEGER NOT NULL REFERENCES messages (key),
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    PRIMARY KEY (memory, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_records_by_message ON memory_records (message);

-- The ledger: parts of messages that say what was decided, is to be done, is asked or is true. Positions are in Unicode scalar
-- values.
CREATE TABLE items (
    message INTEGER NOT NULL REFERENCES messages (key),
    kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2, 3)), -- 0 a decision, 1 a task, 2 a question, 3 a fact
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    is_marked INTEGER NOT NULL DEFAULT 0 CHECK (is_marked IN (0, 1)), -- 1 if the message says so itself, in the form `decision: …`
    PRIMARY KEY (message, kind, start)
) STRICT, WITHOUT ROWID;

-- What messages say of items, and what people set. The latter stays when memories are made anew, and then waits for its item.
CREATE TABLE item_changes (
    message INTEGER NOT NULL REFERENCES messages (key), -- the item's
    kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2, 3)), -- the item's
    start INTEGER NOT NULL, -- the item's
    field INTEGER NOT NULL CHECK (field IN (0, 1, 2)), -- 0 the state, 1 the owner, 2 the day it is due
    user_id TEXT NOT NULL, -- who set it; empty if a message says it
    said_in INTEGER REFERENCES messages (key), -- that message
    at INTEGER NOT NULL, -- its key, or that of the time
    value TEXT NOT NULL, -- ledger/rows.rs says how it is written
    PRIMARY KEY (message, kind, start, field, user_id, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX item_changes_by_source ON item_changes (said_in) WHERE said_in IS NOT NULL;

-- The input of the call besides the sources. Only for memories with a line without a source.
CREATE TABLE handed_messages (
    message INTEGER NOT NULL REFERENCES messages (key),
    memory INTEGER NOT NULL REFERENCES memories (id),
    PRIMARY KEY (message, memory)
) STRICT, WITHOUT ROWID;

CREATE TABLE handed_memories (
    source INTEGER NOT NULL REFERENCES memories (id),
    memory INTEGER NOT NULL REFERENCES memories (id),
    PRIMARY KEY (source, memory)
) STRICT, WITHOUT ROWID;

CREATE VIEW imported_versions (channel, ts_key) AS
SELECT c.key, m.source_latest_key
FROM channels AS c
JOIN memories AS m INDEXED BY memories_current ON m.workspace = c.workspace AND m.scope = 1 AND m.scope_id = c.id
    AND m.memory_type = 1 AND m.superseded_at IS NULL
WHERE m.engine = 2 AND m.revised = 0
UNION ALL
SELECT c.key, m.source_latest_key
FROM channels AS c
JOIN memories AS m INDEXED BY memories_superseded ON m.workspace = c.workspace AND m.scope = 1 AND m.scope_id = c.id
    AND m.memory_type = 1 AND m.superseded_at IS NOT NULL
WHERE m.engine = 2 AND m.revised = 0;
