//! A connection of SQLite, as the shared code uses it.

use std::ops::{ControlFlow, Deref, DerefMut};

use myao_sql::session::{
    Column, Columns, Dialect, Error, Result, Row, Session, TakeRow, Value, for_sqlite,
};
use rusqlite::ToSql;
use rusqlite::types::{ToSqlOutput, ValueRef};

/// A connection.
pub(super) struct SqliteSession(pub(super) rusqlite::Connection);

impl Deref for SqliteSession {
    type Target = rusqlite::Connection;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for SqliteSession {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// Statements fail with what SQLite says; `StoreError::of` sorts that.
pub(super) fn failed(error: rusqlite::Error) -> Error {
    Error::Engine(Box::new(error))
}

/// A parameter.
struct Parameter<'a>(&'a Value<'a>);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self.0 {
            Value::Integer(Some(number)) => ValueRef::Integer(*number),
            Value::Real(Some(number)) => ValueRef::Real(*number),
            Value::Text(Some(text)) => ValueRef::Text(text.as_bytes()),
            Value::Blob(Some(bytes)) => ValueRef::Blob(bytes),
            _ => ValueRef::Null,
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}

impl Session for SqliteSession {
    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn run(&self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        let mut statement = self.0.prepare_cached(&for_sqlite(sql)).map_err(failed)?;
        let parameters = rusqlite::params_from_iter(values.iter().map(Parameter));
        statement.execute(parameters).map_err(failed)
    }

    fn visit(&self, sql: &str, values: &[Value<'_>], take: &mut TakeRow<'_>) -> Result<()> {
        let mut statement = self.0.prepare_cached(&for_sqlite(sql)).map_err(failed)?;
        let parameters = rusqlite::params_from_iter(values.iter().map(Parameter));
        let mut rows = statement.query(parameters).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            if take(&Row::new(&SqliteRow(row)))? == ControlFlow::Break(()) {
                // Statements that write do so completely before their first row.
                break;
            }
        }
        Ok(())
    }
}

/// A row of a result.
struct SqliteRow<'a>(&'a rusqlite::Row<'a>);

impl Columns for SqliteRow<'_> {
    fn column(&self, index: usize) -> Result<Column<'_>> {
        Ok(match self.0.get_ref(index).map_err(failed)? {
            ValueRef::Null => Column::Null,
            ValueRef::Integer(number) => Column::Integer(number),
            ValueRef::Real(number) => Column::Real(number),
            ValueRef::Text(text) => {
                Column::Text(std::str::from_utf8(text).map_err(|error| Error::Value(error.into()))?)
            }
            ValueRef::Blob(bytes) => Column::Blob(bytes),
        })
    }

    fn names(&self) -> Vec<String> {
        let names = self.0.as_ref().column_names();
        names.into_iter().map(str::to_owned).collect()
    }
}
