DELETE FROM backlog;
