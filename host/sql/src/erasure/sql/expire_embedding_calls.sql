-- ?1 workspace, ?2 Unix seconds, exclusive, ?3 how many at most
DELETE FROM embedding_calls WHERE id IN (
    SELECT id FROM embedding_calls
    WHERE workspace = ?1 AND started_at < ?2 * 1000
    ORDER BY started_at
    LIMIT ?3
);
