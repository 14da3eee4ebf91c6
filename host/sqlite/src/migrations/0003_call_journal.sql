-- What model calls cost. No prompt and no key; an answer only until a memory is made from it.
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

-- The context windows that were learned from models.
CREATE TABLE learned_windows (
    model_digest TEXT PRIMARY KEY, -- SHA-256 of all that describes the model
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    learned_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
