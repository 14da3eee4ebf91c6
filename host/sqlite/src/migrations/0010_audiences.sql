-- Who reads a channel. A fact that is not known is NULL; then the channel counts as private.

-- Whether it is shared with another organisation or workspace, and the key of the event's time.
ALTER TABLE channels ADD COLUMN is_shared INTEGER CHECK (is_shared IN (0, 1));
ALTER TABLE channels ADD COLUMN shared_at INTEGER NOT NULL DEFAULT 0;
-- When all members were last read, and whether they were known then; 0 if they never were read.
ALTER TABLE channels ADD COLUMN members_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE channels ADD COLUMN members_known INTEGER NOT NULL DEFAULT 0 CHECK (members_known IN (0, 1));
-- Whether an import says that there are guests. It counts until the members are read.
ALTER TABLE channels ADD COLUMN imported_guests INTEGER CHECK (imported_guests IN (0, 1));
-- Derived from these facts, the members and the guests, and updated in their transactions: 0 everybody of the
-- workspace, 1 its members, 2 its members, perhaps with people from outside.
ALTER TABLE channels ADD COLUMN audience INTEGER NOT NULL DEFAULT 2 CHECK (audience IN (0, 1, 2));

-- Earlier imports of databases that do not say what is private stored channels as public.
UPDATE channels SET is_private = 1 WHERE private_at = 0;

ALTER TABLE users ADD COLUMN is_guest INTEGER CHECK (is_guest IN (0, 1));
ALTER TABLE users ADD COLUMN guest_at INTEGER NOT NULL DEFAULT 0; -- the key of the event's time

-- Who is in a channel. Everybody without a row was no member when all members were last read.
CREATE TABLE channel_members (
    channel INTEGER NOT NULL REFERENCES channels (key),
    user_id TEXT NOT NULL,
    is_member INTEGER NOT NULL CHECK (is_member IN (0, 1)),
    known_at INTEGER NOT NULL, -- the key of the time at which the members were read, or the person joined or left
    PRIMARY KEY (channel, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_members_by_user ON channel_members (user_id, channel);

DROP VIEW channel_audience;
CREATE VIEW channel_audience (channel, workspace, id, is_public, is_open, sees_open) AS
SELECT key, workspace, id, audience = 0, audience = 0 AND present = 1, audience <> 2 FROM channels;
