-- Rows in every table, with what is hard to copy: texts with NUL and other planes, empty and missing values, the largest numbers, gaps
-- between keys, and ids of rows that are gone.
INSERT INTO workspaces (key, id, revision, model_digest, address) VALUES
    (2, 'W1', 7, 'digest', 'https://a.example'), (5, 'W2', 0, NULL, NULL);
INSERT INTO users (workspace, id, name, is_bot, changed_at, is_guest, guest_at)
SELECT w.key, 'U' || n.value, CASE n.value WHEN 3 THEN 'a' || char(0) || 'b' WHEN 4 THEN '' ELSE '名' || n.value END,
    n.value % 2, n.value, CASE n.value % 3 WHEN 0 THEN NULL ELSE n.value % 2 END, 0
FROM workspaces AS w JOIN json_each('[1,2,3,4,5,6,7]') AS n;
INSERT INTO channels (key, workspace, id, name, is_private, read_through, history_through, is_shared, audience, indexed) VALUES
    (1, 2, 'C1', 'general', 0, 9223372036854775807, NULL, 0, 0, 0), (3, 2, 'C2', '', 1, NULL, 5000000, NULL, 2, 0),
    (4, 5, 'C1', 'other', 0, NULL, NULL, 1, 1, 0);
INSERT INTO channel_members (channel, user_id, is_member, known_at)
SELECT c.key, u.id, c.key % 2, 1 FROM channels AS c JOIN users AS u ON u.workspace = c.workspace;
INSERT INTO messages (key, workspace, channel, ts_key, thread_key, user_id, author_name, is_bot, text, edited_at, deleted_at,
    changed_key, news_of, revised, expired)
WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 90)
SELECT n * 3, c.workspace, c.key, n * 1000000, CASE WHEN n % 5 = 0 THEN (n - 1) * 1000000 END, 'U' || (n % 7), CASE WHEN n % 9 = 0 THEN '' END,
    n % 2, CASE WHEN n % 11 = 0 THEN '' WHEN n % 13 = 0 THEN '@myao remember: 𠮷' || char(0) ELSE 'release ' || n || ' of the crane 出荷' END,
    CASE WHEN n % 4 = 0 THEN n END, CASE WHEN n % 11 = 0 THEN n END, n, CASE n % 3 WHEN 0 THEN NULL ELSE n END, 0, 0
FROM numbers JOIN channels AS c ON c.key = CASE n % 3 WHEN 0 THEN 1 WHEN 1 THEN 3 ELSE 4 END;
INSERT INTO origin_sets (key, digest) VALUES (1, 'one'), (9, 'two');
INSERT INTO origin_channels (origins, channel) VALUES (1, 1), (1, 3), (9, 4);
INSERT INTO memories (id, workspace, scope, scope_id, memory_type, version, content, engine, created_at, updated_at,
    source_message_count, source_latest_key, merged_through, superseded_at, origins, revised, handed_known)
SELECT n.value, CASE WHEN n.value > 6 THEN 5 ELSE 2 END, n.value % 3, 'C' || n.value, n.value % 2, n.value,
    CASE n.value WHEN 2 THEN '--' ELSE '- the crane ' || n.value || char(10) || '- 出荷' END, n.value % 3, n.value, n.value, 1,
    CASE WHEN n.value > 1 THEN 3000000 END, CASE WHEN n.value > 4 THEN 1 END, CASE WHEN n.value = 5 THEN 8 END,
    CASE n.value % 3 WHEN 0 THEN 1 WHEN 1 THEN 9 END, 0, n.value % 2
FROM json_each('[1,2,3,4,5,6,7,8,20]') AS n;
DELETE FROM memories WHERE id = 20;
INSERT INTO memory_source_messages (memory, message) SELECT m.id, s.key FROM memories AS m JOIN messages AS s ON s.key % 4 = m.id % 4;
INSERT INTO memory_source_memories (memory, source) VALUES (2, 1), (8, 7);
INSERT INTO handed_messages (message, memory) VALUES (3, 1), (6, 1);
INSERT INTO handed_memories (source, memory) VALUES (1, 3);
INSERT INTO memory_coverage (memory, truncated, messages, covered, left_out_other_channels, left_out_workspace, left_out_messages,
    left_out_channel, chunks, calls)
SELECT id, id % 2, 1, 1, 0, 0, 0, 0, 1, 1 FROM memories;
INSERT INTO memory_lines (memory, number, start, length, has_source) SELECT id, 0, 0, 13, 1 FROM memories;
INSERT INTO line_sources (memory, number, message) SELECT id, 0, 3 FROM memories;
INSERT INTO memory_records (memory, number, message, start, length) VALUES (1, 0, 3, 0, 4);
INSERT INTO items (message, kind, start, length) VALUES (3, 0, 0, 4), (6, 1, 2, 3);
INSERT INTO item_changes (message, kind, start, field, user_id, said_in, at, value) VALUES (3, 0, 0, 0, '', 6, 2000000, 'done'), (6, 1, 2, 1, 'U1', NULL, 9, '@U2');
INSERT INTO backlog (workspace, channel, thread_key, first_reply_key, newest_key, oldest_new_key, new_count, watermark,
    short_term_id, merged_through)
SELECT workspace, key, 0, NULL, 1, NULL, key, -1, 0, 0 FROM channels;
INSERT INTO changed_threads (workspace, channel, thread_key, changed_at) VALUES (2, 1, 5000000, 0);
INSERT INTO backfill (workspace, next_tick) VALUES (2, 900);
INSERT INTO deferrals (workspace, scope, scope_id, memory_type, until, failures, reason) VALUES (2, 1, 'C1', 1, 9, 2, 'no answer');
INSERT INTO llm_calls (id, workspace, agent, scope, scope_id, memory_type, provider, model, answered_by, input_tokens, started_at,
    duration, attempts, finish_reason, error, waits, answer, memory) VALUES
    (4, 2, 0, 1, 'C1', 1, 'p', 'm', 'm-1', NULL, 1, 2, 3, 0, NULL, 1, 'an answer', NULL),
    (9, 5, 1, 2, 'C1:1.0', NULL, 'p', 'm', '', 12, 1, 2, 3, NULL, 'timeout', 0, NULL, 8);
INSERT INTO recordings (id, workspace, export, component, started_at) VALUES (3, 2, '{}', 'c0ffee', 1);
INSERT INTO recorded_calls (recording, number, import, arguments, result) VALUES (3, 0, 'now', '[]', NULL), (3, 1, 'save', '{"a": "\u0000"}', '1');
INSERT INTO recorded_saves (recording, number, workspace, scope, scope_id, memory_type, text_digest, memory) VALUES (3, 1, 2, 1, 'C1', 1, 'd', 1);
INSERT INTO recorded_messages (channel, ts_key, recording) VALUES (1, 3000000, 3);
INSERT INTO recorded_memories (memory, recording) VALUES (1, 3);
INSERT INTO events (id, workspace, event_id, received_at, payload, state, applied_at) VALUES
    (1, 2, 'E1', 1, '{}', 0, NULL), (40, 2, 'E2', 2, '', 1, 3);
DELETE FROM events WHERE id = 40;
INSERT INTO replies (workspace, channel, ts_key, thread_key, kind, state, asked_at) VALUES (2, 1, 3000000, NULL, 0, 1, 3), (5, 4, 2000000, 1000000, 1, 0, 2);
INSERT INTO reply_parts (channel, ts_key, number, text, posted_key) VALUES (1, 3000000, 0, '', 4000000);
INSERT INTO reply_sources (channel, ts_key, source_channel, source_key) VALUES (1, 3000000, 3, 1);
INSERT INTO feedback (channel, posted_key, user_id, is_good, is_given, at) VALUES (1, 4000000, 'U1', 1, 1, 5);
INSERT INTO judgments (workspace, channel, thread_key, ts_key, should_respond, confidence, until) VALUES
    (2, 1, 0, 1, 1, 0.1, 9), (2, 3, 0, 1, 0, 1.0, 9), (5, 4, 0, 1, 0, 0.0, 9);
INSERT INTO sync_state (workspace, connected_through) VALUES (2, 4000000);
INSERT INTO delivery_gaps (workspace, since, until) VALUES (2, 4, 5);
INSERT INTO unread_channels (channel, workspace, since, tries, next_try_at) VALUES (3, 2, NULL, 1, 2);
INSERT INTO sweeps (channel, workspace, through, hidden, ended_at, began_at, good_through, refused_at, refusal)
VALUES (3, 2, NULL, 1, 5, 4, 4000000, 6, 'not_in_channel');
INSERT INTO missing_messages (channel, ts_key, workspace, thread_key) VALUES (3, 7, 2, NULL);
INSERT INTO tombstones (workspace, kind, subject, through, made_at) VALUES (2, 0, '', 1, 2), (2, 2, 'U9', 1, 2);
INSERT INTO off_record (workspace, kind, subject, since, until) VALUES (2, 2, 'U9', 1, NULL);
INSERT INTO message_pins (channel, ts_key, source, emoji_of, user_id, is_pinned, changed_key) VALUES
    (1, 3000000, 0, '', 'U1', 1, 1), (1, 3000000, 1, 'U' || char(0), 'U1', 1, 1), (1, 3000000, 1, 'U ', 'U1', 0, 1), (1, 3000000, 1, 'V', 'U1', 0, 1);
INSERT INTO done_marks (channel, ts_key, user_id, emoji, is_given, at) VALUES (1, 3000000, 'U1', '✅', 1, 1);
INSERT INTO strikes (workspace, channel, ts_key, struck_key) VALUES (2, 1, 4000000, 3000000);
INSERT INTO agent_tokens (id, workspace, user_id, name, hash, made_at, used_at) VALUES (6, 2, 'U1', 'mine', randomblob(32), 1, NULL);
INSERT INTO audit (id, workspace, at, actor, door, action, channel_id, ts_key, user_id, memory, token, erased_messages, erased_lines,
    erased_memories) VALUES
    (3, 2, 1, 'operator', 1, 0, 'C1', 9223372036854775807, NULL, NULL, NULL, 1, 0, 2), (5, 5, 2, NULL, 0, 11, NULL, NULL, 'U1', 1, 6, NULL, NULL, NULL);
INSERT INTO embedders (workspace, generation, digest, offered_to) VALUES (2, 1, 'e', 9);
INSERT INTO message_codes (block, codes) VALUES ((1 << 25), x'0b000900000000000000000000');
INSERT INTO message_vectors (row, vector) VALUES ((1 << 36) | 9, x'00ff'), ((1 << 36) | 18, x''), ((1 << 36) | 27, NULL);
INSERT INTO embedding_calls (id, workspace, provider, model, started_at, input_tokens) VALUES (11, 2, 'p', 'm', 1, NULL);
