-- The integers of the items of a JSON array, which are arrays of up to four, with the items' positions from 0. STRICT, as for
-- `integers`.
CREATE FUNCTION tuples(list TEXT) RETURNS TABLE (key BIGINT, first BIGINT, second BIGINT, third BIGINT, fourth BIGINT)
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 10
AS $$
    SELECT position - 1, CAST(item ->> 0 AS BIGINT), CAST(item ->> 1 AS BIGINT), CAST(item ->> 2 AS BIGINT),
        CAST(item ->> 3 AS BIGINT)
    FROM jsonb_array_elements(CAST(list AS JSONB)) WITH ORDINALITY AS items (item, position)
$$;
