-- ?1 workspace, ?2 kind, ?3 subject, ?4 the newest key that is refused, ?5 now
INSERT INTO tombstones (workspace, kind, subject, through, made_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT DO UPDATE SET
    made_at = CASE WHEN excluded.through > through THEN excluded.made_at ELSE made_at END,
    through = CASE WHEN kind = 3 THEN excluded.through ELSE MAX(through, excluded.through) END;
