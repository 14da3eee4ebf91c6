//! Looks for forgotten texts in everything that is stored.

use std::collections::{BTreeMap, BTreeSet};

use crate::session::{Connection, Dialect, Result};
use aho_corasick::AhoCorasick;
use myao_plugin::OtherReason;
use myao_plugin::state::forgetting::{Found, MAX_SEARCHED, MIN_SEARCHED_CHARS, Search};
use myao_plugin::storage::StorageError;

use crate::fault::Fault;
use crate::search::index;

/// The texts of forgotten messages.
#[derive(Debug, Default)]
pub(crate) struct Forgotten {
    texts: BTreeSet<String>,
    left_out: BTreeSet<String>,
}

impl Forgotten {
    pub(crate) fn add(&mut self, text: String) {
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
pub(crate) fn search(
    connection: &Connection,
    workspace: i64,
    forgotten: &Forgotten,
) -> Result<Search, Fault> {
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
    for (table, columns) in tables(connection)? {
        let rows = rows_of_workspace(&table, &columns);
        for column in columns.iter().filter(|column| column.may_hold_text) {
            let values = quoted(&column.name);
            let values = format!(
                "SELECT {values} FROM {} WHERE {values} IS NOT NULL AND {rows}",
                quoted(&table)
            );
            let mut found = 0;
            connection.each(&values, [workspace], |row| -> Result<()> {
                found += usize::from(texts.is_match(row.get_ref(0)?.bytes()));
                Ok(())
            })?;
            if found > 0 {
                result.found.push(Found {
                    place: format!("{table}.{}", column.name),
                    rows: found,
                });
            }
        }
    }
    for (place, rows) in index::leftovers(connection, Some(workspace))? {
        result.found.push(Found {
            place: place.to_owned(),
            rows,
        });
    }
    Ok(result)
}

/// A column of a table.
struct TableColumn {
    name: String,
    may_hold_text: bool,
}

/// All tables that hold rows, but for the index, with their columns.
fn tables(connection: &Connection) -> Result<BTreeMap<String, Vec<TableColumn>>> {
    let sql = match connection.dialect() {
        Dialect::Sqlite => include_str!("../sql/sqlite/columns.sql"),
        Dialect::Postgres => include_str!("../sql/postgres/columns.sql"),
    };
    let mut tables: BTreeMap<String, Vec<TableColumn>> = BTreeMap::new();
    connection.each(sql, (), |row| -> Result<()> {
        tables.entry(row.get(0)?).or_default().push(TableColumn {
            name: row.get(1)?,
            may_hold_text: row.get(2)?,
        });
        Ok(())
    })?;
    Ok(tables)
}

/// The condition for rows of the workspace `?1`. What another workspace says is none of the receipt's business.
fn rows_of_workspace(table: &str, columns: &[TableColumn]) -> &'static str {
    let has = |name: &str| columns.iter().any(|column| column.name == name);
    if table == "workspaces" {
        "key = ?1"
    } else if has("workspace") {
        "workspace = ?1"
    } else if has("channel") {
        "channel IN (SELECT key FROM channels WHERE workspace = ?1)"
    } else if has("memory") {
        "memory IN (SELECT id FROM memories WHERE workspace = ?1)"
    } else if has("recording") {
        "recording IN (SELECT id FROM recordings WHERE workspace = ?1)"
    } else {
        // It belongs to no workspace.
        "?1 = ?1"
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
