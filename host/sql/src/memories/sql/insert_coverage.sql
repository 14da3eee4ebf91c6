-- ?1 memory
INSERT INTO memory_coverage (memory, truncated, messages, covered, left_out_other_channels, left_out_workspace,
    left_out_messages, left_out_channel, chunks, calls, refused, late, unfounded, records, doubtful, refused_items)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16);
