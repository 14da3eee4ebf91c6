-- ?1 workspace
SELECT c.id AS channel, m.ts_key AS ts, m.thread_key AS thread, m.user_id AS user, m.author_name AS author, m.is_bot,
    m.text, m.edited_at, m.deleted_at, m.changed_key AS changed
FROM channels AS c
JOIN messages AS m ON m.channel = c.key
WHERE c.workspace = ?1
ORDER BY c.id, m.ts_key;
