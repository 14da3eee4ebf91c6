SELECT text FROM messages;
