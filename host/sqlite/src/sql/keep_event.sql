-- ?1 workspace, ?2 the platform's id, ?3 when it came, ?4 payload
INSERT INTO events (workspace, event_id, received_at, payload) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING;
