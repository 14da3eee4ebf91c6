-- Finds messages and memories by their terms. Each row holds the terms of a text, joined by spaces; the tokenizer splits at
-- spaces and changes nothing. Ordinary tables with `secure-delete` keep no terms of a row that was deleted; tables without
-- content would.

-- The row's id is made of the channel's key and the message's (`index.rs`). One row for each message that is not deleted.
CREATE VIRTUAL TABLE message_index USING fts5 (
    terms, detail = none, columnsize = 0, tokenize = "ascii tokenchars '-_./:@+'"
);
INSERT INTO message_index (message_index, rank) VALUES ('secure-delete', 1);
-- The row's id is the memory's.
CREATE VIRTUAL TABLE memory_index USING fts5 (
    terms, detail = none, columnsize = 0, tokenize = "ascii tokenchars '-_./:@+'"
);
INSERT INTO memory_index (memory_index, rank) VALUES ('secure-delete', 1);

-- How many of the channel's messages are in the index.
ALTER TABLE channels ADD COLUMN indexed INTEGER NOT NULL DEFAULT 0;

-- The workspace's address on its platform, for links to messages; NULL if not known.
ALTER TABLE workspaces ADD COLUMN address TEXT;
