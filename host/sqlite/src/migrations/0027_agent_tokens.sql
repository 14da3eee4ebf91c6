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
