-- ?1 model's digest, ?2 provider, ?3 model, ?4 tokens, ?5 time
INSERT INTO learned_windows (model_digest, provider, model, tokens, learned_at) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (model_digest) DO UPDATE SET tokens = excluded.tokens, learned_at = excluded.learned_at;
