//! Looks for forgotten texts in everything that is stored.

use std::collections::BTreeSet;

use crate::params;
use crate::session::{Connection, Dialect, Result};
use aho_corasick::AhoCorasick;
use myao_plugin::OtherReason;
use myao_plugin::state::forgetting::{Found, MAX_SEARCHED, MIN_SEARCHED_CHARS, Search};
use myao_plugin::storage::StorageError;

use super::fault::Fault;
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
    for (table, column) in text_columns(connection)? {
        let (kept_in, values) = (quoted(&table), quoted(&column));
        let values = format!("SELECT {values} FROM {kept_in} WHERE {values} IS NOT NULL");
        let mut found = 0;
        connection.each(&values, (), |row| -> Result<()> {
            found += usize::from(texts.is_match(row.get_ref(0)?.bytes()));
            Ok(())
        })?;
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

/// All tables that hold rows, with their columns that may hold text. Not the index: it holds terms.
fn text_columns(connection: &Connection) -> Result<Vec<(String, String)>> {
    let sql = match connection.dialect() {
        Dialect::Sqlite => include_str!("sql/sqlite/text_columns.sql"),
        Dialect::Postgres => include_str!("sql/postgres/text_columns.sql"),
    };
    list(connection, sql, params![], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
