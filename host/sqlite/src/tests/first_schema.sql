-- A database of a myao with the first schema: a channel with two texts, one of which replaced the other.
PRAGMA foreign_keys = ON;
PRAGMA application_id = 0x6d79616f;
PRAGMA user_version = 1;
INSERT INTO workspaces (key, id) VALUES (1, 'W1');
INSERT INTO channels (key, workspace, id, name, is_private) VALUES (1, 1, 'C1', 'general', 0);
INSERT INTO messages (key, workspace, channel, ts_key, user_id, is_bot, text)
VALUES (1, 1, 1, 5000000, 'U1', 0, 'Hello');
INSERT INTO memories (id, workspace, scope, scope_id, memory_type, version, content, engine, created_at, updated_at,
    source_message_count, source_latest_key, merged_through, superseded_at)
VALUES
(7, 1, 1, 'C1', 1, 1, 'older', 1, 10, 10, 1, 5000000, NULL, 20),
(9, 1, 1, 'C1', 1, 1, 'newer', 1, 10, 20, 1, 5000000, 7, NULL);
INSERT INTO memory_source_messages (memory, message) VALUES (7, 1), (9, 1);
INSERT INTO memory_source_memories (memory, source) VALUES (9, 7);
