-- All but the texts, as those of an export have entities, which only an import resolves, and but the search index.
SELECT
    (SELECT COUNT(*) FROM (SELECT * FROM main.users EXCEPT SELECT * FROM other.users))
    + (SELECT COUNT(*) FROM (
        SELECT key, workspace, id, name, is_private, present, is_shared, imported_guests, audience, has_history
        FROM main.channels
        EXCEPT
        SELECT key, workspace, id, name, is_private, present, is_shared, imported_guests, audience, has_history
        FROM other.channels
    ))
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
