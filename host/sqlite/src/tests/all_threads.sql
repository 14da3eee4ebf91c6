SELECT DISTINCT channel, thread_key FROM messages WHERE thread_key IS NOT NULL;
