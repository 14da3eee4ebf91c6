-- How many messages, lines or memories are not in a text because the model refuses what they say.
ALTER TABLE memory_coverage ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
