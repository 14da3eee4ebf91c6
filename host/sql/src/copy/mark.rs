//! How far a copy is: one row of the table `copying`, which is in the target until the copy is complete.
//!
//! It changes in the transaction of the rows that were copied. How far the copy is could also be read from those, by the largest
//! keys. But texts of keys may change on the way (`rows::adapt`), and then their order does, too; and a database that is not
//! complete must be known as such, so that nobody works with it.

use myao_plugin::storage::StorageError;

use super::plan::{Source, Table, quoted};
use crate::fault::Fault;
use crate::params;
use crate::session::{Connection, Dialect, Error, Result};

/// How far a copy is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    /// How many tables are complete.
    pub(super) tables: usize,
    /// The key of the last row that was copied of the next table; `None` if there is none.
    pub(super) last_key: Option<String>,
    /// How many rows were copied.
    pub(super) rows: u64,
}

/// Returns true if a database is a copy that is not complete.
pub(super) fn is_marked(connection: &Connection) -> Result<bool> {
    let sql = match connection.dialect() {
        Dialect::Sqlite => {
            "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'copying')"
        }
        Dialect::Postgres => "SELECT to_regclass('copying') IS NOT NULL",
    };
    connection.query_row(sql, (), |row| row.get(0))
}

/// Begins a copy in a database that is empty, or goes on with one.
pub(super) fn begin(target: &Connection, source: &Source, tables: &[Table]) -> Result<Mark, Fault> {
    if is_marked(target)? {
        return go_on(target, source);
    }
    for table in tables {
        let exists = format!("SELECT EXISTS (SELECT 1 FROM {})", quoted(&table.name));
        if target.query_row(&exists, (), |row| row.get(0))? {
            return Err(refused(
                "the database to copy to is not empty: name a file that does not exist yet, or an empty database",
            ));
        }
    }
    target.execute(
        "CREATE TABLE copying (source TEXT NOT NULL, tables BIGINT NOT NULL, last_key TEXT, copied BIGINT NOT NULL)",
        (),
    )?;
    let text = serde_json::to_string(source).map_err(|error| Error::Value(error.into()))?;
    target.execute(
        "INSERT INTO copying (source, tables, last_key, copied) VALUES (?1, 0, NULL, 0)",
        [text],
    )?;
    Ok(Mark {
        tables: 0,
        last_key: None,
        rows: 0,
    })
}

fn go_on(target: &Connection, source: &Source) -> Result<Mark, Fault> {
    let mark = "SELECT source, tables, last_key, copied FROM copying";
    let (begun, mark) = target.query_row(mark, (), |row| {
        let mark = Mark {
            tables: row.get(1)?,
            last_key: row.get(2)?,
            rows: row.get(3)?,
        };
        Ok((row.get::<String>(0)?, mark))
    })?;
    // A text of another version of the program says nothing.
    let begun: Option<Source> = serde_json::from_str(&begun).ok();
    if begun.as_ref() == Some(source) {
        return Ok(mark);
    }
    let is_other = begun.is_none_or(|begun| begun.workspaces != source.workspaces);
    Err(refused(if is_other {
        "a copy of another database was begun there and is not complete: name another place, or remove what is there"
    } else {
        "the database has changed since its copy was begun there: remove what was copied, and begin again"
    }))
}

/// Notes how far the copy is now.
pub(super) fn advance(target: &Connection, from: &Mark, to: &Mark) -> Result<(), Fault> {
    let count = |rows: u64| i64::try_from(rows).unwrap_or(i64::MAX);
    let index = |tables: usize| i64::try_from(tables).unwrap_or(i64::MAX);
    let changed = target.execute(
        "UPDATE copying SET tables = ?1, last_key = ?2, copied = ?3 WHERE tables = ?4 AND copied = ?5",
        params![
            index(to.tables),
            to.last_key,
            count(to.rows),
            index(from.tables),
            count(from.rows)
        ],
    )?;
    if changed == 1 {
        return Ok(());
    }
    Err(refused("another copy to the same database is under way"))
}

/// The copy is complete.
pub(super) fn end(target: &Connection) -> Result<()> {
    target.execute("DROP TABLE copying", ())?;
    Ok(())
}

fn refused(text: &str) -> Fault {
    StorageError::Invalid(text.to_owned()).into()
}
