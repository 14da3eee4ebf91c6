-- The Python bot's tables hold a second copy. It is not known what its memories were made from.
DROP TABLE IF EXISTS legacy_messages;
DROP TABLE IF EXISTS legacy_memories;
