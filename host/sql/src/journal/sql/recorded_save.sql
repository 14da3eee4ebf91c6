-- The save that a memory comes from. ?1 workspace, ?2 scope, ?3 scope id, ?4 memory type, ?5 text's digest
SELECT recording, number FROM recorded_saves
WHERE memory IS NULL AND workspace = ?1 AND scope = ?2 AND scope_id = ?3 AND memory_type = ?4 AND text_digest = ?5
ORDER BY recording DESC, number DESC
LIMIT 1;
