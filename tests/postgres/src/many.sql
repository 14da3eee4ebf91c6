-- Many workspaces with messages and memories, as the store would write them. Everything was summarised, so nothing is due.
-- {workspaces}, {channels} of each; {messages} of a channel, in which c is the channel's number from 1.
-- Ids are W1, C1 and U1 on; C1 of each workspace is the first channel.
-- The superuser need not check each reference, and the indexes of terms are faster made at the end.
SET LOCAL session_replication_role = replica;
DROP INDEX message_index_tokens;
-- The nth of 50,000 words, in letters that no rule of a language changes; it is as common as in a language.
CREATE FUNCTION pg_temp.word(n DOUBLE PRECISION) RETURNS TEXT LANGUAGE sql
AS $$ SELECT translate(CAST(CAST(floor(power(50000, n)) AS INTEGER) + 1000 AS TEXT), '0123456789', 'bcdfghjklm') $$;

INSERT INTO workspaces (key, id) SELECT w, 'W' || w FROM generate_series(1, {workspaces}) AS g (w);
INSERT INTO users (workspace, id, name, is_bot)
SELECT w, 'U' || u, 'person ' || u, 0 FROM generate_series(1, {workspaces}) AS g (w), generate_series(1, 10) AS h (u);
INSERT INTO channels (key, workspace, id, name, is_private, is_shared, members_known, audience, indexed)
SELECT (w - 1) * {channels} + c, w, 'C' || c, 'channel-' || c, 0, 0, 1, 0, {messages}
FROM generate_series(1, {workspaces}) AS g (w), generate_series(1, {channels}) AS h (c);

-- A message each minute from the second 1,709,251,200 on. Of each ten the first begins a thread, and three are replies.
INSERT INTO messages (workspace, channel, ts_key, thread_key, user_id, is_bot, text)
SELECT w, (w - 1) * {channels} + c, (1709251200 + 60 * n) * CAST(1000000 AS BIGINT) + 1,
    CASE WHEN n % 10 BETWEEN 1 AND 3 THEN (1709251200 + 60 * (n - n % 10)) * CAST(1000000 AS BIGINT) + 1 END,
    'U' || 1 + (n + c) % 10, 0,
    concat_ws(' ', pg_temp.word(random()), pg_temp.word(random()), pg_temp.word(random()), pg_temp.word(random()),
        pg_temp.word(random()), pg_temp.word(random()), pg_temp.word(random()), pg_temp.word(random()))
FROM generate_series(1, {workspaces}) AS g (w), generate_series(1, {channels}) AS h (c),
    LATERAL generate_series(0, {messages} - 1) AS i (n);
INSERT INTO message_index (rowid, terms, tokens)
SELECT channel * CAST(68719476736 AS BIGINT) + key, text, string_to_array(workspace || ' ' || replace(text, ' ', ',' || workspace || ' '), ',')
FROM messages;
CREATE INDEX message_index_tokens ON message_index USING gin (tokens) WITH (fastupdate = off);

-- Each channel has a long-term memory and five versions of a short-term one, made from its own messages; the workspace has both.
INSERT INTO origin_sets (key, digest) SELECT key, 'd' || key FROM channels;
INSERT INTO origin_channels (origins, channel) SELECT key, key FROM channels;
INSERT INTO memories (id, workspace, scope, scope_id, memory_type, version, content, engine, created_at, updated_at,
    source_message_count, source_latest_key, merged_through, origins, handed_known)
SELECT c.key * 10 + v, c.workspace, 1, c.id, CASE WHEN v = 0 THEN 0 ELSE 1 END, CASE WHEN v = 0 THEN 1 ELSE v END,
    COALESCE((SELECT string_agg('- ' || m.text, E'\n') FROM (
        SELECT text FROM messages WHERE channel = c.key ORDER BY ts_key LIMIT 3 OFFSET v
    ) AS m), '- nothing'),
    0, 1709251200, 1709251200, 1, CASE WHEN v > 0 THEN 1709251200000001 END, CASE WHEN v = 0 THEN c.key * 10 + 5 END, c.key, 1
FROM channels AS c, generate_series(0, 5) AS g (v);
INSERT INTO memories (id, workspace, scope, scope_id, memory_type, version, content, engine, created_at, updated_at,
    source_message_count, merged_through, origins, handed_known)
SELECT w.key * {channels} * 10 + 8 + t, w.key, 0, 'default', t, 1, '- ' || pg_temp.word(random()), 0, 1709251200, 1709251200, 1,
    1000000000, w.key * {channels}, 1
FROM workspaces AS w, generate_series(0, 1) AS g (t);

INSERT INTO backlog (workspace, channel, thread_key, newest_key, new_count, watermark, short_term_id, merged_through)
SELECT c.workspace, c.key, 0, n.newest, 0, n.newest, c.key * 10 + 5, c.key * 10 + 5
FROM channels AS c, LATERAL (SELECT MAX(ts_key) AS newest FROM messages WHERE channel = c.key) AS n;
INSERT INTO backlog (workspace, channel, thread_key, first_reply_key, newest_key, new_count, watermark, short_term_id, merged_through)
SELECT workspace, channel, thread_key, MIN(ts_key), MAX(ts_key), 0, -1, 0, 0
FROM messages WHERE thread_key IS NOT NULL GROUP BY workspace, channel, thread_key;

-- What was answered, and the events of it.
INSERT INTO replies (workspace, channel, ts_key, kind, state, asked_at)
SELECT c.workspace, c.key, 1709251200000001, 0, 1, 1709251200 FROM channels AS c;
INSERT INTO reply_parts (channel, ts_key, number, text, posted_key) SELECT channel, ts_key, 0, '', 1709251200000002 FROM replies;
INSERT INTO events (workspace, event_id, received_at, payload, state, applied_at)
SELECT workspace, 'E' || channel, 0, '', 1, 1709251200 FROM replies;
ANALYZE;
