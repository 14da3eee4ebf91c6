//! Looks for forgotten texts in everything that is stored.

use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;
use myao_plugin::OtherReason;
use myao_plugin::state::forgetting::{Found, MAX_SEARCHED, MIN_SEARCHED_CHARS, Search};
use myao_plugin::storage::StorageError;
use rusqlite::Connection;

use super::error::Fault;
use super::index;
use super::rows::list;

/// What forgotten messages said.
#[derive(Debug, Default)]
pub(super) struct Forgotten {
    texts: BTreeSet<String>,
    left_out: BTreeSet<String>,
}

impl Forgotten {
    pub(super) fn add(&mut self, text: String) {
        let text = text.trim();
        if text.is_empty() || self.texts.contains(text) {
            return;
        }
        let is_short = text.chars().nth(MIN_SEARCHED_CHARS - 1).is_none();
        let into = if is_short || self.texts.len() >= MAX_SEARCHED {
            &mut self.left_out
        } else {
            &mut self.texts
        };
        into.insert(text.to_owned());
    }
}

/// Looks for the texts in each column that holds text, and for rows and terms of the index that belong to no text.
pub(super) fn search(connection: &Connection, forgotten: &Forgotten) -> Result<Search, Fault> {
    let mut result = Search {
        texts: forgotten.texts.len(),
        left_out: forgotten.left_out.len(),
        ..Search::default()
    };
    if forgotten.texts.is_empty() {
        return Ok(result);
    }
    let texts = AhoCorasick::new(&forgotten.texts).map_err(|error| {
        let text = format!("too much was forgotten to look for it: {error}");
        StorageError::Other(OtherReason::new("too-much-text", text))
    })?;
    let columns = include_str!("sql/text_columns.sql");
    let columns: Vec<(String, String)> = list(connection, columns, &[], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    for (table, column) in columns {
        let values = format!(
            "SELECT {column} FROM {table} WHERE typeof({column}) IN ('text', 'blob')",
            column = quoted(&column),
            table = quoted(&table)
        );
        let mut statement = connection.prepare(&values)?;
        let mut rows = statement.query([])?;
        let mut found = 0;
        while let Some(row) = rows.next()? {
            let value = row.get_ref(0)?;
            let bytes = value.as_bytes().unwrap_or_default();
            found += usize::from(texts.is_match(bytes));
        }
        if found > 0 {
            result.found.push(Found {
                place: format!("{table}.{column}"),
                rows: found,
            });
        }
    }
    for (place, rows) in index::leftovers(connection)? {
        result.found.push(Found {
            place: place.to_owned(),
            rows,
        });
    }
    Ok(result)
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
