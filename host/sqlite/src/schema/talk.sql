-- Messages, their authors, and who reads them. A `_at` column is 0 if no event has set it: an import has no times of changes.

CREATE TABLE workspaces (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    -- Counts the transactions that erase lines.
    revision INTEGER NOT NULL DEFAULT 0,
    -- The model of the newest generation run: its digest, NULL before the first.
    model_digest TEXT,
    -- The workspace's address on its platform, for links to messages; NULL if not known.
    address TEXT
) STRICT;

CREATE TABLE users (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    id TEXT NOT NULL,
    name TEXT NOT NULL, -- empty if not known
    is_bot INTEGER NOT NULL CHECK (is_bot IN (0, 1)),
    changed_at INTEGER NOT NULL DEFAULT 0, -- Unix seconds
    is_guest INTEGER CHECK (is_guest IN (0, 1)),
    guest_at INTEGER NOT NULL DEFAULT 0, -- the key of the event's time
    -- When the account was last known to be closed, as the key of the event's time; 0 if never. It is closed until a newer time
    -- tells whether the user is a guest.
    closed_at INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (workspace, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE channels (
    key INTEGER PRIMARY KEY,
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    id TEXT NOT NULL,
    name TEXT NOT NULL, -- without `#`; empty if not known
    is_private INTEGER NOT NULL CHECK (is_private IN (0, 1)),
    name_at INTEGER NOT NULL DEFAULT 0, -- the key of the event's time, as the next two
    private_at INTEGER NOT NULL DEFAULT 0,
    present_at INTEGER NOT NULL DEFAULT 0,
    -- 1 if the bot is in the channel, and the channel is neither archived nor deleted. The component sees no other
    -- channels.
    present INTEGER NOT NULL DEFAULT 1 CHECK (present IN (0, 1)),
    -- 1 from when the bot leaves the channel until it is back and has read what it missed.
    is_behind INTEGER NOT NULL DEFAULT 0 CHECK (is_behind IN (0, 1)),
    -- How often codes of its messages' vectors have changed.
    codes_version INTEGER NOT NULL DEFAULT 0,
    -- The channel's history was read up to this message; NULL if it was not read yet.
    read_through INTEGER,
    -- For a channel without a short-term memory: its messages up to here are history, which a backfill includes. All later
    -- messages wait for the first version, whatever their age. NULL if not known: then the message window decides.
    history_through INTEGER,
    -- 1 if it is shared with another organisation or workspace, and the key of the event's time.
    is_shared INTEGER CHECK (is_shared IN (0, 1)),
    shared_at INTEGER NOT NULL DEFAULT 0,
    -- When all members were last read, and whether they were known then; 0 if they never were read.
    members_at INTEGER NOT NULL DEFAULT 0,
    members_known INTEGER NOT NULL DEFAULT 0 CHECK (members_known IN (0, 1)),
    -- 1 if an import says that there are guests. It counts until the members are read.
    imported_guests INTEGER CHECK (imported_guests IN (0, 1)),
    -- Derived from these facts, the members and the guests, and updated in their transactions: 0 everybody of the
    -- workspace, 1 its members, 2 its members, perhaps with people from outside.
    audience INTEGER NOT NULL DEFAULT 2 CHECK (audience IN (0, 1, 2)),
    -- 1 if a channel with a version has history. A backfill takes it in.
    has_history INTEGER NOT NULL DEFAULT 0 CHECK (has_history IN (0, 1)),
    -- How many of the channel's messages are in the index.
    indexed INTEGER NOT NULL DEFAULT 0,
    -- Channels whose memories have lost lines since their newest version. The next run makes a version of what waits.
    lost_lines INTEGER NOT NULL DEFAULT 0 CHECK (lost_lines IN (0, 1)),
    -- How the bot takes part: 0 it remembers, 1 it answers mentions, too, 2 it joins in, too. NULL where nobody has set it.
    participation INTEGER CHECK (participation IN (0, 1, 2)),
    -- 1 if the bot has said there what it does.
    is_greeted INTEGER NOT NULL DEFAULT 0 CHECK (is_greeted IN (0, 1)),
    UNIQUE (workspace, id)
) STRICT;
CREATE INDEX channels_first_version ON channels (workspace) WHERE history_through IS NOT NULL;
CREATE INDEX channels_with_history ON channels (workspace) WHERE has_history = 1;
CREATE INDEX channels_with_lost_lines ON channels (workspace) WHERE lost_lines = 1;

-- A deleted message stays as an empty row, so that a late event cannot restore it.
CREATE TABLE messages (
    key INTEGER PRIMARY KEY,
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    channel INTEGER NOT NULL REFERENCES channels (key),
    ts_key INTEGER NOT NULL CHECK (ts_key >= 0),
    -- The first message of the thread that this one replies in; NULL for that first message too.
    thread_key INTEGER CHECK (thread_key >= 0 AND thread_key <> ts_key),
    user_id TEXT NOT NULL,
    author_name TEXT, -- where it is not the user's name
    is_bot INTEGER NOT NULL CHECK (is_bot IN (0, 1)),
    text TEXT NOT NULL,
    edited_at INTEGER,
    deleted_at INTEGER,
    -- Since when the message has this text: the key of the edit's time, or the message's own key; 0 for a deleted message
    -- of which nothing else is known.
    changed_key INTEGER NOT NULL DEFAULT 0,
    -- The first short-term version of the channel that was made from the message; NULL while the message waits for one. 0
    -- while the channel has no version, and for history: messages older than the first version, which do not wait.
    news_of INTEGER DEFAULT 0,
    -- The revision with which the message was edited or deleted, and with which lines of the memory were erased.
    revised INTEGER NOT NULL DEFAULT 0,
    -- 1 if a deleted message was only kept long enough, so that what was made from it stays.
    expired INTEGER NOT NULL DEFAULT 0 CHECK (expired IN (0, 1)),
    -- 1 if a text may be a mark: it begins with a mention, and has one of the words of marks near its beginning
    -- (`myao_plugin::storage::marks`). The component reads whether it is one.
    may_mark INTEGER GENERATED ALWAYS AS (
        substr(ltrim(substr(text, 1, 300), char(9, 10, 11, 12, 13, 32, 133, 160, 8203, 12288)), 1, 1) = '@'
        AND (
            instr(lower(substr(text, 1, 300)), 'remember') > 0
            OR instr(lower(substr(text, 1, 300)), 'correction') > 0
            OR instr(substr(text, 1, 300), '覚えて') > 0
            OR instr(substr(text, 1, 300), '訂正') > 0
        )
    ) VIRTUAL,
    UNIQUE (channel, ts_key)
) STRICT;
CREATE INDEX messages_by_thread ON messages (channel, thread_key, ts_key) WHERE thread_key IS NOT NULL;
-- With this index, counting the other messages reads no rows.
CREATE INDEX messages_deleted ON messages (channel, ts_key) WHERE deleted_at IS NOT NULL;
CREATE INDEX messages_by_time ON messages (workspace, ts_key) WHERE deleted_at IS NULL;
-- The messages that wait in channels with a version.
CREATE INDEX messages_waiting ON messages (channel, ts_key) WHERE news_of IS NULL AND deleted_at IS NULL;
CREATE INDEX messages_of_user ON messages (workspace, user_id) WHERE deleted_at IS NULL OR expired = 1;
CREATE INDEX messages_marked ON messages (channel, ts_key) WHERE may_mark = 1 AND deleted_at IS NULL;

-- Who is in a channel. Everybody without a row was no member when all members were last read.
CREATE TABLE channel_members (
    channel INTEGER NOT NULL REFERENCES channels (key),
    user_id TEXT NOT NULL,
    is_member INTEGER NOT NULL CHECK (is_member IN (0, 1)),
    known_at INTEGER NOT NULL, -- the key of the time at which the members were read, or the person joined or left
    PRIMARY KEY (channel, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_members_by_user ON channel_members (user_id, channel);

CREATE VIEW channel_audience (channel, workspace, id, is_public, is_open, sees_open) AS
SELECT key, workspace, id, audience = 0, audience = 0 AND present = 1, audience <> 2 FROM channels;

-- Messages that are refused when they arrive: of a channel, of a user, or of all, up to a message's key.
CREATE TABLE tombstones (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    kind INTEGER NOT NULL CHECK (kind IN (0, 1, 2, 3)), -- 0 all, 1 a channel's, 2 a user's, 3 what is kept long enough
    subject TEXT NOT NULL, -- the id of the channel or user; else empty
    through INTEGER NOT NULL, -- the newest key that is refused
    made_at INTEGER NOT NULL, -- Unix seconds
    PRIMARY KEY (workspace, kind, subject)
) STRICT, WITHOUT ROWID;

-- The row's id is made of the channel's key and the message's (`index.rs`). One row for each message that is not deleted.
CREATE VIRTUAL TABLE message_index USING fts5 (
    terms, detail = none, columnsize = 0, tokenize = "ascii tokenchars '-_./:@+'"
);
INSERT INTO message_index (message_index, rank) VALUES ('secure-delete', 1);

-- Pins. A message need not be stored.
CREATE TABLE message_pins (
    channel INTEGER NOT NULL REFERENCES channels (key),
    ts_key INTEGER NOT NULL,
    source INTEGER NOT NULL CHECK (source IN (0, 1, 2)), -- 0 the platform's pin, 1 a person's emoji, 2 the operator
    emoji_of TEXT NOT NULL, -- the person whose emoji it is; else empty
    user_id TEXT NOT NULL, -- who pinned it, or took the pin off; empty if not known, and for the operator
    is_pinned INTEGER NOT NULL CHECK (is_pinned IN (0, 1)),
    changed_key INTEGER NOT NULL, -- the key of the event's time
    PRIMARY KEY (channel, ts_key, source, emoji_of)
) STRICT, WITHOUT ROWID;

-- The embedders whose vectors a workspace's messages have: two while one takes the place of the other.
CREATE TABLE embedders (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    generation INTEGER NOT NULL CHECK (generation IN (0, 1)), -- search/vector_rows.rs says what it is for
    digest TEXT NOT NULL, -- of the embedder's identity
    offered_to INTEGER NOT NULL, -- the key of the newest message that the embedder was offered
    center BLOB, -- the numbers that are subtracted from its vectors for their codes, each as four bytes; NULL for zeros
    PRIMARY KEY (workspace, generation)
) STRICT, WITHOUT ROWID;

-- The vectors of messages that an embedder was offered. A row's id is that of the message's row in message_index, and the bit of
-- the embedder's generation; it goes with it.
CREATE TABLE message_vectors (
    row INTEGER PRIMARY KEY,
    vector BLOB -- vectors.rs says how it is written; empty if the text says nothing; NULL until the new text of an edited message
    -- was offered
) STRICT;
CREATE INDEX message_vectors_missing ON message_vectors (row) WHERE vector IS NULL;

-- The codes of vectors: search/codes.rs says how a block is written. A block's number is the upper bits of its rows' ids.
CREATE TABLE message_codes (
    block INTEGER PRIMARY KEY,
    codes BLOB NOT NULL
) STRICT;

-- Times off the record: of a channel or a person, from a key on until another. Messages of it are refused.
CREATE TABLE off_record (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    kind INTEGER NOT NULL CHECK (kind IN (1, 2)), -- 1 a channel's, 2 a user's, as in tombstones
    subject TEXT NOT NULL, -- the id of the channel or user
    since INTEGER NOT NULL, -- the first key that is refused
    until INTEGER, -- the first key that is not refused any more; NULL while it goes on
    PRIMARY KEY (workspace, kind, subject, since)
) STRICT, WITHOUT ROWID;

-- Messages that people marked as done with an emoji. A message need not be stored.
CREATE TABLE done_marks (
    channel INTEGER NOT NULL REFERENCES channels (key),
    ts_key INTEGER NOT NULL,
    user_id TEXT NOT NULL, -- whose mark it is
    emoji TEXT NOT NULL,
    is_given INTEGER NOT NULL CHECK (is_given IN (0, 1)), -- 0 if it was taken back
    at INTEGER NOT NULL, -- the key of the newest change
    PRIMARY KEY (channel, ts_key, user_id, emoji)
) STRICT, WITHOUT ROWID;

-- Messages that a correction strikes, as its author picked them. Both are of one channel.
CREATE TABLE strikes (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    channel INTEGER NOT NULL REFERENCES channels (key),
    ts_key INTEGER NOT NULL, -- the correction
    struck_key INTEGER NOT NULL,
    PRIMARY KEY (workspace, channel, ts_key, struck_key)
) STRICT, WITHOUT ROWID;
