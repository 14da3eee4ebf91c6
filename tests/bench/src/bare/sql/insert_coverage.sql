INSERT INTO memory_coverage (memory, truncated, messages, covered, left_out_other_channels, left_out_workspace,
    left_out_messages, left_out_channel, chunks, calls)
VALUES (?1, 0, ?2, ?2, 0, 0, 0, 0, 1, 1);
