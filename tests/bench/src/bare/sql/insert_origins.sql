INSERT INTO origin_sets (digest) VALUES (?1) RETURNING key;
