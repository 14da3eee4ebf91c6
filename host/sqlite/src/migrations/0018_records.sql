-- What is kept beside a memory: parts of messages, as references. Positions are in Unicode scalar values.
CREATE TABLE memory_records (
    memory INTEGER NOT NULL REFERENCES memories (id),
    number INTEGER NOT NULL, -- from 0
    message INTEGER NOT NULL REFERENCES messages (key),
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    PRIMARY KEY (memory, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_records_by_message ON memory_records (message);

ALTER TABLE memory_coverage ADD COLUMN unfounded INTEGER NOT NULL DEFAULT 0;
ALTER TABLE memory_coverage ADD COLUMN records INTEGER NOT NULL DEFAULT 0;
