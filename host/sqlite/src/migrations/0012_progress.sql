-- Which version had each message as news, so that a message that is stored late is not lost.

-- The first short-term version of the channel that was made from the message; NULL while the message waits for one. 0
-- while the channel has no version, and for history: messages older than the first version, which do not wait.
ALTER TABLE messages ADD COLUMN news_of INTEGER DEFAULT 0;
-- Whether a channel with a version has history. A backfill takes it in.
ALTER TABLE channels ADD COLUMN has_history INTEGER NOT NULL DEFAULT 0 CHECK (has_history IN (0, 1));
CREATE INDEX channels_with_history ON channels (workspace) WHERE has_history = 1;

-- Versions of another program, with their newest message. What they were made from is not known: they count for
-- everything up to it.
CREATE VIEW imported_versions (channel, ts_key) AS
SELECT c.key, m.source_latest_key
FROM channels AS c
JOIN memories AS m INDEXED BY memories_current ON m.workspace = c.workspace AND m.scope = 1 AND m.scope_id = c.id
    AND m.memory_type = 1 AND m.superseded_at IS NULL
WHERE m.engine = 2
UNION ALL
SELECT c.key, m.source_latest_key
FROM channels AS c
JOIN memories AS m INDEXED BY memories_superseded ON m.workspace = c.workspace AND m.scope = 1 AND m.scope_id = c.id
    AND m.memory_type = 1 AND m.superseded_at IS NOT NULL
WHERE m.engine = 2;

-- The versions so far. What is older than the oldest message of the first one is history.
CREATE TEMP TABLE first_messages AS
SELECT c.key AS channel, (
    SELECT MIN(o.ts_key) FROM memories AS m
    JOIN memory_source_messages AS s ON s.memory = m.id
    JOIN messages AS o ON o.key = s.message
    WHERE m.workspace = c.workspace AND m.scope = 1 AND m.scope_id = c.id AND m.memory_type = 1 AND m.version > 0
) AS ts_key
FROM channels AS c
WHERE EXISTS (
    SELECT 1 FROM memories AS m
    WHERE m.workspace = c.workspace AND m.scope = 1 AND m.scope_id = c.id AND m.memory_type = 1 AND m.version > 0
        AND m.origins IS NOT NULL AND m.superseded_at IS NULL
);
UPDATE messages SET news_of = (
    SELECT MIN(m.id) FROM memory_source_messages AS s
    JOIN memories AS m ON m.id = s.memory
    WHERE s.message = messages.key AND m.scope = 1 AND m.memory_type = 1 AND m.version > 0
)
WHERE EXISTS (SELECT 1 FROM first_messages AS f WHERE f.channel = messages.channel AND messages.ts_key >= f.ts_key);
-- The messages that wait in channels with a version.
CREATE INDEX messages_waiting ON messages (channel, ts_key) WHERE news_of IS NULL AND deleted_at IS NULL;
UPDATE channels SET has_history = 1
WHERE EXISTS (
    SELECT 1 FROM messages AS h
    WHERE h.channel = channels.key AND h.deleted_at IS NULL
        AND h.ts_key < (SELECT ts_key FROM first_messages WHERE channel = channels.key)
        AND h.ts_key > COALESCE((SELECT MAX(i.ts_key) FROM imported_versions AS i WHERE i.channel = channels.key), -1)
);
DROP TABLE first_messages;

-- How many of the messages were stored after newer ones were summarised.
ALTER TABLE memory_coverage ADD COLUMN late INTEGER NOT NULL DEFAULT 0;
