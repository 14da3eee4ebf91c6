SELECT COUNT(*) FROM reply_parts WHERE text <> '';
