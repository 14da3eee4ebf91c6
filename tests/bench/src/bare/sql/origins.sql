SELECT key FROM origin_sets WHERE digest = ?1;
