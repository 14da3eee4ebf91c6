SELECT tokens FROM learned_windows WHERE model_digest = ?1;
