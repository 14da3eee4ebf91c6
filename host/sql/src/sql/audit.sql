-- ?1 workspace, ?2 since, in Unix seconds
SELECT at, actor, door, action, channel_id, ts_key, user_id, memory, token, erased_messages, erased_lines, erased_memories
FROM audit
WHERE workspace = ?1 AND at >= ?2
ORDER BY id;
