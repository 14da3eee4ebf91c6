-- What people mark by words: `@myao remember: …`.

-- Whether a text may be a mark: it begins with a mention, and has one of the words of marks near its beginning
-- (`myao_plugin::storage::marks`). The component reads whether it is one.
ALTER TABLE messages ADD COLUMN may_mark INTEGER GENERATED ALWAYS AS (
    substr(ltrim(substr(text, 1, 300), char(9, 10, 11, 12, 13, 32, 133, 160, 8203, 12288)), 1, 1) = '@'
    AND (
        instr(lower(substr(text, 1, 300)), 'remember') > 0
        OR instr(lower(substr(text, 1, 300)), 'correction') > 0
        OR instr(substr(text, 1, 300), '覚えて') > 0
        OR instr(substr(text, 1, 300), '訂正') > 0
    )
) VIRTUAL;
CREATE INDEX messages_marked ON messages (channel, ts_key) WHERE may_mark = 1 AND deleted_at IS NULL;
