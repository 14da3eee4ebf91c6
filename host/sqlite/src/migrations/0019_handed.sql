-- What the call of each memory was given, so that a line without a source goes only with what it may hold.

-- Whether all of it is in memory_source_messages, memory_source_memories and the two tables below. 0 for imported texts, for
-- those of earlier versions, and once a text was removed for its age.
ALTER TABLE memories ADD COLUMN handed_known INTEGER NOT NULL DEFAULT 0 CHECK (handed_known IN (0, 1));
CREATE INDEX memories_handed_unknown ON memories (workspace) WHERE handed_known = 0;

-- What the call was given besides the sources. Only for memories with a line without a source.
CREATE TABLE handed_messages (
    message INTEGER NOT NULL REFERENCES messages (key),
    memory INTEGER NOT NULL REFERENCES memories (id),
    PRIMARY KEY (message, memory)
) STRICT, WITHOUT ROWID;
CREATE TABLE handed_memories (
    source INTEGER NOT NULL REFERENCES memories (id),
    memory INTEGER NOT NULL REFERENCES memories (id),
    PRIMARY KEY (source, memory)
) STRICT, WITHOUT ROWID;

-- As in 0012_progress.sql, but a version that has lost lines counts for nothing any more.
DROP VIEW imported_versions;
CREATE VIEW imported_versions (channel, ts_key) AS
SELECT c.key, m.source_latest_key
FROM channels AS c
JOIN memories AS m INDEXED BY memories_current ON m.workspace = c.workspace AND m.scope = 1 AND m.scope_id = c.id
    AND m.memory_type = 1 AND m.superseded_at IS NULL
WHERE m.engine = 2 AND m.revised = 0
UNION ALL
SELECT c.key, m.source_latest_key
FROM channels AS c
JOIN memories AS m INDEXED BY memories_superseded ON m.workspace = c.workspace AND m.scope = 1 AND m.scope_id = c.id
    AND m.memory_type = 1 AND m.superseded_at IS NOT NULL
WHERE m.engine = 2 AND m.revised = 0;
