-- A database of a myao with the fifth schema: errors that quote what people wrote, and work without errors.
PRAGMA application_id = 0x6d79616f;
PRAGMA user_version = 5;
INSERT INTO workspaces (key, id) VALUES (1, 'W1');
INSERT INTO channels (key, workspace, id, name, is_private) VALUES (1, 1, 'C1', 'general', 0);
INSERT INTO replies (workspace, channel, ts_key, kind, state, asked_at, error)
VALUES (1, 1, 1, 0, 2, 1, 'status 400: you said "the venue is Hakone"'), (1, 1, 2, 0, 0, 1, NULL);
INSERT INTO events (workspace, event_id, received_at, payload, state, error)
VALUES (1, 'E1', 1, '{}', 2, 'invalid type: string "the venue is Hakone"'), (1, 'E2', 1, '{}', 0, NULL);
