ALTER TABLE messages RENAME TO legacy_messages;
ALTER TABLE users RENAME TO legacy_users;
ALTER TABLE channels RENAME TO legacy_channels;
ALTER TABLE memories RENAME TO legacy_memories;
