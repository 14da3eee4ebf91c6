-- What the store keeps if a model fails: stand-ins, answers that were cut off, inputs that did not fit, deferrals.

-- SQLite cannot change a CHECK, so the table is created again: version 0 is a stand-in. References use the table's
-- name, so they stay valid.
CREATE TABLE new_memories (
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
    superseded_at INTEGER
) STRICT;
INSERT INTO new_memories (id, workspace, scope, scope_id, memory_type, version, content, engine, created_at, updated_at,
    source_message_count, source_latest_key, merged_through, superseded_at)
SELECT id, workspace, scope, scope_id, memory_type, version, content, engine, created_at, updated_at,
    source_message_count, source_latest_key, merged_through, superseded_at
FROM memories;
DROP TABLE memories;
ALTER TABLE new_memories RENAME TO memories;
CREATE UNIQUE INDEX memories_current ON memories (workspace, scope, scope_id, memory_type, version)
WHERE superseded_at IS NULL;
CREATE INDEX memories_superseded ON memories (workspace, scope, scope_id, memory_type)
WHERE superseded_at IS NOT NULL;
-- Finds the newest memory of all channels, stand-ins excluded, without reading each memory.
CREATE INDEX memories_newest ON memories (workspace, scope, memory_type)
WHERE superseded_at IS NULL AND version > 0;

-- What went into a text, and what did not; no row if that is not known. See `coverage` in wit/types.wit.
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
    calls INTEGER NOT NULL
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
