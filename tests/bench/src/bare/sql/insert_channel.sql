-- A public channel that is not shared, and has no guests.
INSERT INTO channels (workspace, id, name, is_private, present, is_shared, imported_guests, audience)
VALUES (?1, ?2, ?3, ?4, 1, 0, 0, 0)
RETURNING key;
