-- All memories of a channel and its threads. ?1 workspace, ?2 the channel's id
SELECT id FROM memories
WHERE workspace = ?1
    AND ((scope = 1 AND scope_id = ?2) OR (scope = 2 AND scope_id BETWEEN ?2 || ':' AND ?2 || ';'))
ORDER BY id;
