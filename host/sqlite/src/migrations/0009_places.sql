-- Where a text may be shown: the channels that it was made from, and who may see those.

-- Sets of channels. Most memories of a run are made from the same channels, so each set is stored once.
CREATE TABLE origin_sets (
    key INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE -- SHA-256 of its channels' keys
) STRICT;
CREATE TABLE origin_channels (
    origins INTEGER NOT NULL REFERENCES origin_sets (key),
    channel INTEGER NOT NULL REFERENCES channels (key),
    PRIMARY KEY (origins, channel)
) STRICT, WITHOUT ROWID;
CREATE INDEX origin_channels_by_channel ON origin_channels (channel);

-- NULL: not known. Then only the operator sees the text, and nothing is made from it.
ALTER TABLE memories ADD COLUMN origins INTEGER REFERENCES origin_sets (key);
CREATE INDEX memories_by_origins ON memories (origins) WHERE origins IS NOT NULL AND superseded_at IS NULL;

-- is_public: everybody in the workspace may see the channel. is_open: what is said there may be shown in other
-- channels: the bot still hears of deletions. sees_open: what is open elsewhere may be shown here.
CREATE VIEW channel_audience (channel, workspace, id, is_public, is_open, sees_open) AS
SELECT key, workspace, id, is_private = 0, is_private = 0 AND present = 1, 1 FROM channels;

-- All memories so far are set aside, as it is not known what they were made from. The next version of a channel begins
-- where the last one ended.
UPDATE channels SET history_through = (
    SELECT watermark FROM backlog WHERE channel = channels.key AND thread_key = 0
)
WHERE EXISTS (
    SELECT 1 FROM backlog
    WHERE channel = channels.key AND thread_key = 0 AND short_term_id > 0 AND watermark >= 0
);
