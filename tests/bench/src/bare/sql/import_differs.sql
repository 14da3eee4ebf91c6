-- All but the texts: those of an export have entities, which only an import resolves.
SELECT
    (SELECT COUNT(*) FROM (SELECT * FROM main.users EXCEPT SELECT * FROM other.users))
    + (SELECT COUNT(*) FROM (SELECT * FROM main.channels EXCEPT SELECT * FROM other.channels))
    + (SELECT COUNT(*) FROM (SELECT * FROM main.backlog EXCEPT SELECT * FROM other.backlog))
    + (SELECT COUNT(*) FROM (
        SELECT key, workspace, channel, ts_key, thread_key, user_id, author_name, is_bot, edited_at, deleted_at,
            changed_key
        FROM main.messages
        EXCEPT
        SELECT key, workspace, channel, ts_key, thread_key, user_id, author_name, is_bot, edited_at, deleted_at,
            changed_key
        FROM other.messages
    ));
