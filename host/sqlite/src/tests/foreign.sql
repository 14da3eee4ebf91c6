CREATE TABLE messages (body TEXT);
