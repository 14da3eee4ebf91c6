-- ?1 channel, ?2 limit. The platform knows nothing of the operator's pins.
SELECT m.ts_key, m.thread_key, CASE p.source WHEN 1 THEN p.emoji_of END, p.changed_key
FROM message_pins AS p
CROSS JOIN messages AS m ON m.channel = p.channel AND m.ts_key = p.ts_key
WHERE p.channel = ?1 AND p.source <> 2 AND p.is_pinned = 1 AND m.deleted_at IS NULL
ORDER BY p.ts_key DESC, p.source, p.emoji_of LIMIT ?2;
