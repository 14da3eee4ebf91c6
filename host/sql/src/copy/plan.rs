//! The content of a copy: the tables and their columns, which are the same in every engine.

use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::storage::StorageError;
use serde::{Deserialize, Serialize};

use crate::fault::Fault;
use crate::session::{Connection, Dialect, Error, Result};

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    Real,
    Text,
    Bytes,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct TableColumn {
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// A table.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) name: String,
    /// By name: the engines have them in different orders.
    pub(super) columns: Vec<TableColumn>,
    /// Which of the columns are the primary key, in its order.
    pub(super) key: Vec<usize>,
}

impl Table {
    /// The position of a column.
    pub(super) fn position(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|own| own.name == column)
    }
}

/// All tables of a database, each after those whose keys it has.
pub(super) fn tables(connection: &Connection) -> Result<Vec<Table>, Fault> {
    let mut tables = by_name(connection)?;
    let references = match connection.dialect() {
        Dialect::Sqlite => include_str!("../sql/sqlite/references.sql"),
        Dialect::Postgres => include_str!("../sql/postgres/references.sql"),
    };
    let mut references: BTreeSet<(String, String)> = connection
        .query_map(references, (), |row| Ok((row.get(0)?, row.get(1)?)))?
        .into_iter()
        .collect();
    let mut ordered = Vec::new();
    while !tables.is_empty() {
        let is_free = |name: &&String| !references.iter().any(|(table, _)| table == *name);
        let Some(name) = tables.keys().find(is_free).cloned() else {
            return Err(refused(
                "tables have keys of each other, so none can be copied first".to_owned(),
            ));
        };
        references.retain(|(_, referenced)| *referenced != name);
        ordered.extend(tables.remove(&name));
    }
    Ok(ordered)
}

/// Refuses databases that do not have the same tables.
pub(super) fn check_same(source: &[Table], target: &[Table]) -> Result<(), Fault> {
    for (tables, others) in [(source, target), (target, source)] {
        if let Some(table) = tables.iter().find(|table| !others.contains(table)) {
            let name = &table.name;
            return Err(refused(format!(
                "the table `{name}` is not the same in both databases"
            )));
        }
    }
    Ok(())
}

fn refused(text: String) -> Fault {
    StorageError::Invalid(text).into()
}

fn by_name(connection: &Connection) -> Result<BTreeMap<String, Table>> {
    let columns = match connection.dialect() {
        Dialect::Sqlite => include_str!("../sql/sqlite/copied_columns.sql"),
        Dialect::Postgres => include_str!("../sql/postgres/copied_columns.sql"),
    };
    let mut tables: BTreeMap<String, Table> = BTreeMap::new();
    let mut keys: BTreeMap<String, BTreeMap<usize, usize>> = BTreeMap::new();
    connection.each(columns, (), |row| -> Result<()> {
        let (name, column): (String, String) = (row.get(0)?, row.get(1)?);
        let (in_key, kind): (usize, i64) = (row.get(2)?, row.get(3)?);
        let table = tables.entry(name.clone()).or_insert_with(|| Table {
            name: name.clone(),
            columns: Vec::new(),
            key: Vec::new(),
        });
        if in_key > 0 {
            let keys = keys.entry(name.clone()).or_default();
            keys.insert(in_key, table.columns.len());
        }
        let kind = match kind {
            0 => Kind::Integer,
            1 => Kind::Real,
            2 => Kind::Text,
            3 => Kind::Bytes,
            _ => {
                let text = format!("`{name}.{column}` is of a type that no copy has");
                return Err(Error::Value(text.into()));
            }
        };
        table.columns.push(TableColumn { name: column, kind });
        Ok(())
    })?;
    for (name, table) in &mut tables {
        table.key = keys
            .remove(name)
            .unwrap_or_default()
            .into_values()
            .collect();
        if table.key.is_empty() {
            return Err(Error::Value(format!("`{name}` has no primary key").into()));
        }
    }
    Ok(tables)
}

/// By what a database is known again: what it holds may not change until the copy is complete.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Source {
    /// The keys and ids of the workspaces.
    pub(super) workspaces: Vec<(i64, String)>,
    /// How many rows each table has.
    pub(super) rows: BTreeMap<String, u64>,
}

impl Source {
    pub(super) fn of(connection: &Connection, tables: &[Table]) -> Result<Self> {
        let workspaces = "SELECT key, id FROM workspaces ORDER BY key";
        let workspaces =
            connection.query_map(workspaces, (), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let rows = tables
            .iter()
            .map(|table| Ok((table.name.clone(), count(connection, &table.name)?)));
        Ok(Self {
            workspaces,
            rows: rows.collect::<Result<_>>()?,
        })
    }

    pub(super) fn total(&self) -> u64 {
        self.rows.values().sum()
    }
}

/// How many rows a table has.
pub(super) fn count(connection: &Connection, table: &str) -> Result<u64> {
    let count = format!("SELECT COUNT(*) FROM {}", quoted(table));
    connection.query_row(&count, (), |row| row.get(0))
}

pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
