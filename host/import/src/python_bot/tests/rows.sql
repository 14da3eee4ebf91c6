INSERT INTO users (user_id, name, is_bot) VALUES ('U1', '田中', 0), ('U2', '', 0), ('UB', 'myao', 1);
INSERT INTO channels (channel_id, name) VALUES ('C1', 'general'), ('C2', ''), ('D1', 'D1');
INSERT INTO messages (message_id, channel_id, user_id, user_name, user_is_bot, text, timestamp, thread_ts, mentions) VALUES
    ('1709287500.000200', 'C1', 'U1', '田中', 0, '<@U2> see <#C1|x> &amp; <https://e.org|page>', '2024-03-01 10:05:00.000200', NULL, '["U2"]'),
    ('b6c1', 'C1', 'UB', 'myao', 1, 'I am a random id', '2024-03-01 10:05:00.000200', NULL, NULL),
    ('a7d2', 'C1', 'UB', 'myao', 1, 'so am I', '2024-03-01T10:05:00.000200', NULL, NULL),
    ('1709287600.000100', 'C1', 'U2', 'ben', 0, 'a reply', '2024-03-01 10:06:40.000100', 'b6c1', NULL),
    ('1709287700.000100', 'C1', 'U1', '田中', 0, 'another reply', '2024-03-01 10:08:20', '1709287500.000200', NULL),
    ('1709287800.000100', 'C1', 'U3', 'U3', 0, 'of a lost thread', '2024-03-01 10:10:00', 'gone', NULL),
    ('1709287900.000100', 'C1', 'U1', '田中', 0, ' ', '2024-03-01 10:11:40', NULL, NULL),
    ('f00d', 'C9', 'UB', 'myao', 1, 'no fraction', '2024-03-01 10:05:00', '', NULL);
INSERT INTO memories (scope, scope_id, memory_type, content, created_at, updated_at, source_message_count, source_latest_message_ts) VALUES
    ('workspace', 'default', 'long_term', ' all ', '2024-03-01 00:00:00', '2024-03-01 10:05:00.123456', 3, '1709287500.000200'),
    ('MemoryScope.WORKSPACE', 'default', 'MemoryType.SHORT_TERM', 'retired', '2024-03-01 00:00:00', '2024-03-01 00:00:01', 1, 'b6c1'),
    ('CHANNEL', 'C1', 'SHORT_TERM', 'recent', NULL, '2024-03-01T00:00:02', NULL, NULL),
    ('thread', 'C1:1709287500.000200', 'short-term', 'thread', '2024-03-01 00:00:00+00:00', '2024-03-01 00:00:03Z', -1, ''),
    ('channel', 'C2', 'long_term', ' ', '2024-03-01 00:00:00', '2024-03-01 00:00:00', 0, NULL),
    ('team', 'T1', 'long_term', 'x', '2024-03-01 00:00:00', '2024-03-01 00:00:00', 0, NULL);
