-- ?1 workspace, ?2 time, ?3 actor, ?4 door, ?5 action, ?6 channel, ?7 message, ?8 person, ?9 memory, ?10 token, ?11 messages, ?12 lines, ?13 memories
INSERT INTO audit (workspace, at, actor, door, action, channel_id, ts_key, user_id, memory, token,
    erased_messages, erased_lines, erased_memories)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13);
