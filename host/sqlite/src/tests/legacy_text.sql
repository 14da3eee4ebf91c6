SELECT text FROM legacy_messages;
