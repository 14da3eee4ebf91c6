SELECT
    (SELECT COUNT(*) FROM (SELECT * FROM main.memories EXCEPT SELECT * FROM other.memories))
    + (SELECT COUNT(*) FROM (
        SELECT * FROM main.memory_source_messages EXCEPT SELECT * FROM other.memory_source_messages
    ))
    + (SELECT COUNT(*) FROM (
        SELECT * FROM main.memory_source_memories EXCEPT SELECT * FROM other.memory_source_memories
    ))
    + (SELECT COUNT(*) FROM (
        SELECT memory, messages, covered, chunks, calls FROM main.memory_coverage
        EXCEPT SELECT memory, messages, covered, chunks, calls FROM other.memory_coverage
    ))
    + (SELECT COUNT(*) FROM (SELECT * FROM main.backlog EXCEPT SELECT * FROM other.backlog));
