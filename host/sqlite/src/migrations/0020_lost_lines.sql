-- Channels whose memories have lost lines since their newest version. The next run makes a version of what waits.
ALTER TABLE channels ADD COLUMN lost_lines INTEGER NOT NULL DEFAULT 0 CHECK (lost_lines IN (0, 1));
CREATE INDEX channels_with_lost_lines ON channels (workspace) WHERE lost_lines = 1;
