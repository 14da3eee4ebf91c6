-- Another workspace may just have inserted the empty set. ?1 digest
INSERT INTO origin_sets (digest) VALUES (?1)
ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest
RETURNING key;
