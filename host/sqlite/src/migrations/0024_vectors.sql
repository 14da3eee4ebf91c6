-- The embedder whose vectors a workspace's messages have.
CREATE TABLE embedders (
    workspace INTEGER PRIMARY KEY REFERENCES workspaces (key),
    digest TEXT NOT NULL, -- of the embedder's identity
    offered_to INTEGER NOT NULL -- the key of the newest message that the embedder was offered
) STRICT;

-- The vectors of messages that the embedder was offered. A row's id is that of the message's row in message_index, and it goes
-- with it.
CREATE TABLE message_vectors (
    row INTEGER PRIMARY KEY,
    vector BLOB -- vectors.rs says how it is written; empty if the text says nothing; NULL until the new text of an edited message
    -- was offered
) STRICT;
CREATE INDEX message_vectors_missing ON message_vectors (row) WHERE vector IS NULL;

-- What calls of the embedder cost.
CREATE TABLE embedding_calls (
    id INTEGER PRIMARY KEY,
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    started_at INTEGER NOT NULL, -- milliseconds since 1970
    input_tokens INTEGER -- NULL where not told
) STRICT;
CREATE INDEX embedding_calls_by_time ON embedding_calls (workspace, started_at);
