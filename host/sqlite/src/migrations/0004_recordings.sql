-- Calls into the component with all results of its imports, recorded only if the configuration says so. They contain
-- messages, memories, prompts and answers in plain text; recorded_messages and recorded_memories list which.

CREATE TABLE recordings (
    id INTEGER PRIMARY KEY,
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    export TEXT NOT NULL, -- JSON, with its arguments
    component TEXT NOT NULL, -- SHA-256
    started_at INTEGER NOT NULL -- milliseconds since 1970
) STRICT;

CREATE TABLE recorded_calls (
    recording INTEGER NOT NULL REFERENCES recordings (id),
    number INTEGER NOT NULL, -- from 0
    import TEXT NOT NULL,
    arguments TEXT NOT NULL, -- JSON
    result TEXT, -- JSON; NULL for a save that the recording ends with
    PRIMARY KEY (recording, number)
) STRICT, WITHOUT ROWID;

-- Those of the calls that are saves.
CREATE TABLE recorded_saves (
    recording INTEGER NOT NULL REFERENCES recordings (id),
    number INTEGER NOT NULL,
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    scope INTEGER NOT NULL CHECK (scope IN (0, 1, 2)),
    scope_id TEXT NOT NULL,
    memory_type INTEGER NOT NULL CHECK (memory_type IN (0, 1)),
    text_digest TEXT NOT NULL, -- SHA-256
    memory INTEGER REFERENCES memories (id), -- NULL before it is saved, and where that failed
    PRIMARY KEY (recording, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX recorded_saves_waiting ON recorded_saves (workspace, scope, scope_id, memory_type) WHERE memory IS NULL;
CREATE INDEX recorded_saves_by_memory ON recorded_saves (memory) WHERE memory IS NOT NULL;

CREATE TABLE recorded_messages (
    channel INTEGER NOT NULL REFERENCES channels (key),
    ts_key INTEGER NOT NULL,
    recording INTEGER NOT NULL REFERENCES recordings (id),
    PRIMARY KEY (channel, ts_key, recording)
) STRICT, WITHOUT ROWID;

CREATE TABLE recorded_memories (
    memory INTEGER NOT NULL REFERENCES memories (id),
    recording INTEGER NOT NULL REFERENCES recordings (id),
    PRIMARY KEY (memory, recording)
) STRICT, WITHOUT ROWID;
