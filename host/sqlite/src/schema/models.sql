-- Calls of models, their answers while these wait for their memory, and recordings.

-- The costs of model calls. No prompt and no key; an answer only until a memory is made from it.
-- agent: 0 memory, 1 response, 2 judgment. finish_reason: 0 stop, 1 length, 2 content-filter, 3 other. (The order of
-- the cases in wit/llm.wit.)
CREATE TABLE llm_calls (
    id INTEGER PRIMARY KEY, -- grows with time; a call whose answer is taken again becomes the newest
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    agent INTEGER NOT NULL CHECK (agent IN (0, 1, 2)),
    scope INTEGER NOT NULL CHECK (scope IN (0, 1, 2)),
    scope_id TEXT NOT NULL,
    memory_type INTEGER CHECK (memory_type IN (0, 1)), -- NULL for a reply
    provider TEXT NOT NULL,
    model TEXT NOT NULL, -- as it was asked for
    answered_by TEXT NOT NULL, -- as it calls itself
    input_tokens INTEGER, -- NULL where not told, as the next two
    cached_tokens INTEGER,
    output_tokens INTEGER,
    started_at INTEGER NOT NULL, -- milliseconds since 1970
    duration INTEGER NOT NULL, -- milliseconds
    attempts INTEGER NOT NULL, -- 0 where nothing was sent
    finish_reason INTEGER CHECK (finish_reason IN (0, 1, 2, 3)), -- NULL where there is no answer
    error TEXT, -- the case of llm-error, without its details
    digest TEXT, -- SHA-256 of the input
    attempt TEXT, -- the same of the input that the attempt at the memory began with
    waits INTEGER NOT NULL CHECK (waits IN (0, 1)), -- 1 until the memory is made
    answer TEXT CHECK (answer IS NULL OR waits = 1),
    memory INTEGER REFERENCES memories (id)
) STRICT;
CREATE INDEX llm_calls_by_time ON llm_calls (workspace, started_at);
CREATE INDEX llm_calls_waiting ON llm_calls (workspace, scope, scope_id, memory_type) WHERE waits = 1;
CREATE INDEX llm_calls_of_memory ON llm_calls (memory) WHERE memory IS NOT NULL;
CREATE INDEX llm_calls_by_attempt ON llm_calls (attempt) WHERE memory IS NOT NULL;

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

-- The costs of the embedder's calls.
CREATE TABLE embedding_calls (
    id INTEGER PRIMARY KEY,
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    started_at INTEGER NOT NULL, -- milliseconds since 1970
    input_tokens INTEGER -- NULL where not told
) STRICT;
CREATE INDEX embedding_calls_by_time ON embedding_calls (workspace, started_at);
