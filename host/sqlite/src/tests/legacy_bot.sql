-- A database of the Python bot from before versions.
CREATE TABLE messages (
    message_id TEXT NOT NULL, channel_id TEXT NOT NULL, user_id TEXT NOT NULL, user_name TEXT, user_is_bot INTEGER,
    text TEXT, timestamp TEXT, thread_ts TEXT, mentions TEXT, created_at TEXT,
    UNIQUE (message_id, channel_id)
);
CREATE INDEX idx_messages_channel ON messages (channel_id);
CREATE TABLE users (user_id TEXT PRIMARY KEY, name TEXT, is_bot INTEGER, updated_at TEXT);
CREATE TABLE channels (channel_id TEXT PRIMARY KEY, name TEXT, updated_at TEXT);
CREATE TABLE memories (
    scope TEXT, scope_id TEXT, memory_type TEXT, content TEXT, created_at TEXT, updated_at TEXT,
    source_message_count INTEGER, source_latest_message_ts TEXT,
    UNIQUE (scope, scope_id, memory_type)
);
INSERT INTO channels VALUES ('C1', 'general', '2024-03-01 10:00:00');
INSERT INTO messages
VALUES ('1709287200.000001', 'C1', 'U1', 'Aki', 0, 'Hello', '2024-03-01 10:00:00', NULL, '[]', '2024-03-01 10:00:00');
