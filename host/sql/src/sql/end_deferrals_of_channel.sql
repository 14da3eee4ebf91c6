-- A call that failed because of a message may succeed now that it reads differently: of its channel, and of the workspace.
-- ?1 workspace, ?2 channel
DELETE FROM deferrals
WHERE workspace = ?1 AND (scope = 0 OR EXISTS (
    SELECT 1 FROM channels AS c
    WHERE c.key = ?2 AND (
        (deferrals.scope = 1 AND deferrals.scope_id = c.id)
        OR (deferrals.scope = 2 AND deferrals.scope_id BETWEEN c.id || ':' AND c.id || ';')
    )
));
