SELECT COUNT(*) FROM pragma_foreign_key_check;
