CREATE TABLE users (user_id TEXT PRIMARY KEY, name TEXT, is_bot BOOLEAN, updated_at DATETIME);
CREATE TABLE channels (channel_id TEXT PRIMARY KEY, name TEXT, updated_at DATETIME);
CREATE TABLE messages (
    id INTEGER PRIMARY KEY, message_id TEXT, channel_id TEXT, user_id TEXT, user_name TEXT, user_is_bot BOOLEAN,
    text TEXT, timestamp DATETIME, thread_ts TEXT, mentions JSON, created_at DATETIME, UNIQUE (message_id, channel_id)
);
CREATE TABLE memories (
    id INTEGER PRIMARY KEY, scope TEXT, scope_id TEXT, memory_type TEXT, content TEXT, created_at DATETIME,
    updated_at DATETIME, source_message_count INTEGER, source_latest_message_ts TEXT, UNIQUE (scope, scope_id, memory_type)
);
