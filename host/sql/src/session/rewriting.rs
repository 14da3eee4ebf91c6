//! The changes of an engine to the shared texts of SQL.
//!
//! Besides `?1`, these are hints about the order in which SQLite visits tables (`INDEXED BY`, `NOT INDEXED`, `CROSS JOIN`),
//! which PostgreSQL decides itself, and three table functions of a JSON array. `integers(json)` and `texts(json)` give each element
//! as `value` and its position from 0 as `key`. `tuples(json)` gives the integers of each element, an array of up to four, as
//! `first`, `second`, `third` and `fourth`. In PostgreSQL they are functions of the schema.

use std::borrow::Cow;

/// The form of `tuples` in SQLite, around its argument.
const TUPLES: [&str; 2] = [
    "(SELECT key, json_extract(value, '$[0]') AS first, json_extract(value, '$[1]') AS second, \
        json_extract(value, '$[2]') AS third, json_extract(value, '$[3]') AS fourth FROM json_each",
    ")",
];

/// The text as SQLite takes it: the table functions are `json_each`.
#[must_use]
pub fn for_sqlite(sql: &str) -> Cow<'_, str> {
    if !["integers(", "texts(", "tuples("]
        .iter()
        .any(|function| sql.contains(function))
    {
        return Cow::Borrowed(sql);
    }
    let mut out = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(at) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let (word, after) = split_word(from);
        rest = after;
        match word {
            "integers" | "texts" if after.starts_with('(') => out.push_str("json_each"),
            "tuples" if after.starts_with('(') => {
                // Its argument is a parameter.
                let end = after.find(')').map_or(after.len(), |end| end + 1);
                let (argument, after) = after.split_at(end);
                out.extend([TUPLES[0], argument, TUPLES[1]]);
                rest = after;
            }
            word => out.push_str(word),
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The text as PostgreSQL takes it: parameters are `$1`, and there are no hints.
#[must_use]
pub fn for_postgres(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        match first {
            '\'' | '"' => {
                let (quoted, after) = split_quoted(rest, first);
                out.push_str(quoted);
                rest = after;
            }
            '-' if rest.starts_with("--") => {
                rest = rest
                    .find('\n')
                    .map_or("", |end| rest.get(end..).unwrap_or(""));
            }
            '?' => {
                out.push('$');
                rest = rest.get(1..).unwrap_or("");
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let (word, after) = split_word(rest);
                rest = after;
                match word {
                    "INDEXED" if after.trim_start().starts_with("BY ") => {
                        let name = after.trim_start().trim_start_matches("BY ").trim_start();
                        rest = split_word(name).1;
                    }
                    "NOT" if after.trim_start().starts_with("INDEXED") => {
                        rest = after.trim_start().trim_start_matches("INDEXED");
                    }
                    // `CROSS JOIN`; every one of the shared texts has an `ON`.
                    "CROSS" => rest = after.trim_start(),
                    word => out.push_str(word),
                }
            }
            c => {
                out.push(c);
                rest = rest.get(c.len_utf8()..).unwrap_or("");
            }
        }
    }
    out
}

/// The word at the beginning, and the rest.
fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    text.split_at(end.unwrap_or(text.len()))
}

/// The quoted text at the beginning, and the rest. A doubled quote reads as two quoted texts, side by side.
fn split_quoted(text: &str, quote: char) -> (&str, &str) {
    let end = text.get(1..).and_then(|inner| inner.find(quote));
    text.split_at(end.map_or(text.len(), |end| end + 2))
}

#[cfg(test)]
mod tests {
    use super::{TUPLES, for_postgres, for_sqlite};

    #[test]
    fn table_functions_are_json_each_in_sqlite() {
        let sql = "SELECT value FROM integers(?1) JOIN texts(?2) AS t ON true WHERE my_integers = 'texts'";
        assert_eq!(
            for_sqlite(sql),
            "SELECT value FROM json_each(?1) JOIN json_each(?2) AS t ON true WHERE my_integers = 'texts'"
        );
        assert_eq!(for_sqlite("SELECT ?1"), "SELECT ?1");
        assert_eq!(
            for_sqlite("SELECT t.first FROM tuples(?1) AS t WHERE true"),
            format!(
                "SELECT t.first FROM {}(?1){} AS t WHERE true",
                TUPLES[0], TUPLES[1]
            )
        );
    }

    #[test]
    fn postgres_gets_its_parameters_and_no_hints() {
        let sql = "-- ?1 workspace\nSELECT '?', \"a?\" FROM m AS x INDEXED BY by_time\nCROSS JOIN texts(?2) AS t ON true WHERE y = ?12";
        assert_eq!(
            for_postgres(sql),
            "\nSELECT '?', \"a?\" FROM m AS x \nJOIN texts($2) AS t ON true WHERE y = $12"
        );
        let sql = "FROM m AS x NOT INDEXED WHERE NOT x.y = ?1";
        assert_eq!(for_postgres(sql), "FROM m AS x  WHERE NOT x.y = $1");
    }
}
