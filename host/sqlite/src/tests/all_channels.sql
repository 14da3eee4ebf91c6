-- Channels with messages or memories, as in the backlog.
SELECT key, 0 FROM channels
WHERE key IN (SELECT channel FROM messages) OR id IN (SELECT scope_id FROM memories WHERE scope = 1);
