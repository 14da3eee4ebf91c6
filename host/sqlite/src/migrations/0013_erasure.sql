-- From which messages each line of a memory was made, so that lines go when a message is edited or deleted.

-- Counts the transactions that erase lines.
ALTER TABLE workspaces ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
-- The revision with which the message was edited or deleted, and with which lines of the memory were erased.
ALTER TABLE messages ADD COLUMN revised INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memories ADD COLUMN revised INTEGER NOT NULL DEFAULT 0;

-- The lines of a text, in order. Positions are in Unicode scalar values.
CREATE TABLE memory_lines (
    memory INTEGER NOT NULL REFERENCES memories (id),
    number INTEGER NOT NULL, -- from 0
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    has_source INTEGER NOT NULL CHECK (has_source IN (0, 1)),
    PRIMARY KEY (memory, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_lines_without_source ON memory_lines (memory) WHERE has_source = 0;
CREATE TABLE line_sources (
    memory INTEGER NOT NULL,
    number INTEGER NOT NULL,
    message INTEGER NOT NULL REFERENCES messages (key),
    PRIMARY KEY (memory, number, message),
    FOREIGN KEY (memory, number) REFERENCES memory_lines (memory, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX line_sources_by_message ON line_sources (message);

-- What earlier texts were made from is not known by line.
INSERT INTO memory_lines (memory, number, start, length, has_source) SELECT id, 0, 0, LENGTH(content), 0 FROM memories;
