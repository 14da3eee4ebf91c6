-- True if a member is a guest; NULL if the members, or whether one of them is a guest, are not known.
-- ?1 channel
WITH members (is_guest) AS (
    SELECT u.is_guest
    FROM channels AS c
    JOIN channel_members AS m ON m.channel = c.key
    LEFT JOIN users AS u ON u.workspace = c.workspace AND u.id = m.user_id
    WHERE c.key = ?1 AND m.is_member = 1
    UNION ALL
    SELECT CASE WHEN members_at = 0 THEN imported_guests WHEN members_known = 1 THEN 0 END FROM channels WHERE key = ?1
)
SELECT is_private, is_shared, (
    SELECT CASE MAX(COALESCE(2 * is_guest, 1)) WHEN 2 THEN 1 WHEN 0 THEN 0 END FROM members
)
FROM channels
WHERE key = ?1;
