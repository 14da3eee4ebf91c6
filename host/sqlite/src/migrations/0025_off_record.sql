-- What is said off the record: of a channel or a person, from a key on until another. Messages of it are refused.
CREATE TABLE off_record (
    workspace INTEGER NOT NULL REFERENCES workspaces (key),
    kind INTEGER NOT NULL CHECK (kind IN (1, 2)), -- 1 a channel's, 2 a user's, as in tombstones
    subject TEXT NOT NULL, -- the id of the channel or user
    since INTEGER NOT NULL, -- the first key that is refused
    until INTEGER, -- the first key that is not refused any more; NULL while it goes on
    PRIMARY KEY (workspace, kind, subject, since)
) STRICT, WITHOUT ROWID;
