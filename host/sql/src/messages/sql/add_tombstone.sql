-- ?1 workspace, ?2 kind, ?3 subject, ?4 the newest key that is refused, ?5 now
INSERT INTO tombstones (workspace, kind, subject, through, made_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (workspace, kind, subject) DO UPDATE SET
    made_at = CASE WHEN excluded.through > tombstones.through THEN excluded.made_at ELSE tombstones.made_at END,
    through = CASE WHEN tombstones.kind = 3 THEN excluded.through ELSE MAX(tombstones.through, excluded.through) END;
