-- Of a channel without a short-term memory: up to here its messages are history, which a backfill takes in. All after it
-- waits for the first version, whatever its age. NULL if that is not known: then the message window decides.
ALTER TABLE channels ADD COLUMN history_through INTEGER;
CREATE INDEX channels_first_version ON channels (workspace) WHERE history_through IS NOT NULL;
