-- All columns, because which of them exist differs; the order makes ids the same on every import.
SELECT * FROM messages ORDER BY channel_id, timestamp, message_id;
