-- ?1 the platform's id, ?2 payload
INSERT INTO events (event_id, payload) VALUES (?1, ?2) ON CONFLICT DO NOTHING
