-- Lines of a memory that were kept although the messages do not show what they say.
ALTER TABLE memory_coverage ADD COLUMN doubtful INTEGER NOT NULL DEFAULT 0;
