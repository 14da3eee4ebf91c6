-- What a provider names is learned in one call only.
DROP TABLE learned_windows;
