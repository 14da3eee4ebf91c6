-- The same tables as in SQLite, for the same statements. All integers are BIGINT, and yes or no is 0 or 1, so that one statement
-- serves both engines; texts are ordered by their bytes, as there. A `_key` is a message id as one number (seconds × 1,000,000 +
-- sequence). Times are Unix seconds where nothing else is said.
-- scope: 0 workspace, 1 channel, 2 thread. memory_type: 0 long-term, 1 short-term.
-- engine: 0 llm, 1 extractive, 2 imported. (The order of the cases in wit/types.wit.)

-- Functions that SQLite has.

-- The items of a JSON array, with their positions from 0. STRICT keeps them from being inlined: then the planner would take the
-- number of rows for 100, and read whole tables.
CREATE FUNCTION integers(list TEXT) RETURNS TABLE (key BIGINT, value BIGINT)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 10
AS $$
    SELECT position - 1, CAST(item AS BIGINT)
    FROM jsonb_array_elements_text(CAST(list AS JSONB)) WITH ORDINALITY AS items (item, position)
$$;
CREATE FUNCTION texts(list TEXT) RETURNS TABLE (key BIGINT, value TEXT)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 10
AS $$
    SELECT position - 1, item
    FROM jsonb_array_elements_text(CAST(list AS JSONB)) WITH ORDINALITY AS items (item, position)
$$;
-- NULL if one of the two is NULL, unlike LEAST and GREATEST. Not STRICT, so that they are inlined.
CREATE FUNCTION min(a BIGINT, b BIGINT) RETURNS BIGINT
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN a <= b THEN a WHEN a > b THEN b END $$;
CREATE FUNCTION max(a BIGINT, b BIGINT) RETURNS BIGINT
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CASE WHEN a >= b THEN a WHEN a < b THEN b END $$;
-- The position of a text in another from 1, or 0.
CREATE FUNCTION instr(text TEXT, part TEXT) RETURNS BIGINT
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT CAST(strpos(text, part) AS BIGINT) $$;

-- The integers of the items of a JSON array, which are arrays of up to four, with the items' positions from 0. STRICT, as for
-- `integers`.
CREATE FUNCTION tuples(list TEXT) RETURNS TABLE (key BIGINT, first BIGINT, second BIGINT, third BIGINT, fourth BIGINT)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 10
AS $$
    SELECT position - 1, CAST(item ->> 0 AS BIGINT), CAST(item ->> 1 AS BIGINT), CAST(item ->> 2 AS BIGINT),
        CAST(item ->> 3 AS BIGINT)
    FROM jsonb_array_elements(CAST(list AS JSONB)) WITH ORDINALITY AS items (item, position)
$$;
