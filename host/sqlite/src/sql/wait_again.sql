-- What was news of the same versions as these messages waits again. ?1 messages, a JSON array
UPDATE messages SET news_of = NULL
WHERE deleted_at IS NULL AND key IN (
    SELECT s.message
    FROM json_each(?1) AS k
    JOIN messages AS m ON m.key = k.value AND m.news_of > 0
    JOIN memory_source_messages AS s ON s.memory = m.news_of
    JOIN messages AS n ON n.key = s.message AND n.news_of = m.news_of
);
