-- For a channel without a short-term memory: its messages up to here are history, which a backfill includes. All later
-- messages wait for the first version, whatever their age. NULL if not known: then the message window decides.
ALTER TABLE channels ADD COLUMN history_through INTEGER;
CREATE INDEX channels_first_version ON channels (workspace) WHERE history_through IS NOT NULL;
