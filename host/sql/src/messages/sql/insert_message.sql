-- A new message of a channel that has or had a version waits for the next one. Arguments as in update_message.sql
INSERT INTO messages (workspace, channel, ts_key, thread_key, user_id, author_name, is_bot, text, edited_at, deleted_at,
    changed_key, expired, news_of)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, CASE
    WHEN EXISTS (SELECT 1 FROM backlog WHERE channel = ?2 AND thread_key = 0 AND short_term_id > 0) THEN NULL
    WHEN EXISTS (
        SELECT 1 FROM channels AS c
        CROSS JOIN memories AS m INDEXED BY memories_superseded ON m.workspace = c.workspace AND m.scope = 1
            AND m.scope_id = c.id AND m.memory_type = 1 AND m.superseded_at IS NOT NULL
        WHERE c.key = ?2 AND m.version > 0 AND m.origins IS NOT NULL
    ) THEN NULL
    ELSE 0
END)
ON CONFLICT DO NOTHING
RETURNING key;
