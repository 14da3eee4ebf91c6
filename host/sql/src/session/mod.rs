//! A connection to a database, whichever engine it has.
//!
//! The texts of SQL are shared by the engines: they keep to what SQLite and PostgreSQL both have and both mean. An engine
//! adapts only what `rewriting.rs` lists. Integers and booleans are 64-bit integers in every engine, a boolean is 0 or 1.

mod rewriting;
mod value;

use std::error::Error as StdError;
use std::ops::ControlFlow;

pub use rewriting::{for_postgres, for_sqlite};
pub use value::{Column, FromSql, Params, ToSql, Typed, Value};

/// The SQL of an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

/// Why a statement failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A statement that must have a row has none.
    #[error("the statement found no row")]
    NoRow,
    /// A column has another type than expected, or a value that does not fit.
    #[error("column {index} holds {found}, which was not expected")]
    Column {
        /// Its position, from 0.
        index: usize,
        /// Its content.
        found: String,
    },
    /// A value cannot be stored or read.
    #[error("{0}")]
    Value(Box<dyn StdError + Send + Sync>),
    /// The engine's error.
    #[error("{0}")]
    Engine(Box<dyn StdError + Send + Sync>),
}

/// The result of a statement.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Takes one row; breaks if no more are wanted.
pub type TakeRow<'a> = dyn FnMut(&Row<'_>) -> Result<ControlFlow<()>> + 'a;

/// The operations of an engine in one transaction. Everything blocks.
pub trait Session {
    /// Which SQL it speaks.
    fn dialect(&self) -> Dialect;

    /// Runs a statement without a result. Returns how many rows it wrote.
    ///
    /// # Errors
    /// [`Error::Engine`].
    fn run(&self, sql: &str, values: &[Value<'_>]) -> Result<usize>;

    /// Passes the rows of a statement to `take`, in order.
    ///
    /// # Errors
    /// [`Error::Engine`], or the error of `take`.
    fn visit(&self, sql: &str, values: &[Value<'_>], take: &mut TakeRow<'_>) -> Result<()>;
}

/// A connection in a transaction.
pub type Connection = dyn Session;

impl dyn Session + '_ {
    /// Runs a statement. Returns how many rows it wrote.
    ///
    /// # Errors
    /// [`Error::Engine`].
    pub fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        params.with(&mut |values| self.run(sql, values))
    }

    /// Passes the rows of a statement to `take`, one by one.
    ///
    /// # Errors
    /// [`Error::Engine`], or the error of `take`.
    pub fn each<E: From<Error>>(
        &self,
        sql: &str,
        params: impl Params,
        mut take: impl FnMut(&Row<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each_until(sql, params, |row| {
            take(row).map(|()| ControlFlow::Continue(()))
        })
    }

    /// Passes the rows of a statement to `take`, one by one, until it breaks.
    ///
    /// # Errors
    /// [`Error::Engine`], or the error of `take`.
    pub fn each_until<E: From<Error>>(
        &self,
        sql: &str,
        params: impl Params,
        mut take: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let mut refused = None;
        let mut take = |row: &Row<'_>| {
            Ok(take(row).unwrap_or_else(|error| {
                refused = Some(error);
                ControlFlow::Break(())
            }))
        };
        params.with(&mut |values| self.visit(sql, values, &mut take))?;
        refused.map_or(Ok(()), Err)
    }

    /// Reads all rows of a statement.
    ///
    /// # Errors
    /// [`Error::Engine`], or the error of `read`.
    pub fn query_map<T>(
        &self,
        sql: &str,
        params: impl Params,
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        self.each(sql, params, |row| -> Result<()> {
            found.push(read(row)?);
            Ok(())
        })?;
        Ok(found)
    }

    /// Reads the first row of a statement.
    ///
    /// # Errors
    /// [`Error::NoRow`] if there is none; [`Error::Engine`], or the error of `read`.
    pub fn query_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        let (mut read, mut found) = (Some(read), None);
        self.each_until(sql, params, |row| -> Result<ControlFlow<()>> {
            found = read.take().map(|read| read(row)).transpose()?;
            Ok(ControlFlow::Break(()))
        })?;
        found.ok_or(Error::NoRow)
    }
}

/// `None` for [`Error::NoRow`].
pub trait OptionalExtension<T> {
    /// The row that was read, if there was one.
    ///
    /// # Errors
    /// All but [`Error::NoRow`].
    fn optional(self) -> Result<Option<T>>;
}

impl<T> OptionalExtension<T> for Result<T> {
    fn optional(self) -> Result<Option<T>> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(Error::NoRow) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The columns of a row, as an engine has them.
pub trait Columns {
    /// A column by its position, from 0.
    ///
    /// # Errors
    /// [`Error::Column`] if there is none.
    fn column(&self, index: usize) -> Result<Column<'_>>;

    /// The names of the columns.
    fn names(&self) -> Vec<String>;
}

/// A row of a result.
pub struct Row<'a>(&'a dyn Columns);

impl<'a> Row<'a> {
    /// A row of an engine.
    pub fn new(columns: &'a dyn Columns) -> Self {
        Self(columns)
    }

    /// The value of a column by its position, from 0.
    ///
    /// # Errors
    /// [`Error::Column`] if the column is not of this type.
    pub fn get<T: FromSql>(&self, index: usize) -> Result<T> {
        let column = self.0.column(index)?;
        T::from_sql(column).ok_or_else(|| Error::Column {
            index,
            found: column.kind().to_owned(),
        })
    }

    /// A column by its position, from 0, without a copy.
    ///
    /// # Errors
    /// [`Error::Column`] if there is none.
    pub fn get_ref(&self, index: usize) -> Result<Column<'_>> {
        self.0.column(index)
    }

    /// The names of the columns.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.0.names()
    }
}

/// The parameters of a statement: `params![a, b]` for `?1` and `?2`.
#[macro_export]
macro_rules! params {
    () => { &[] as &[&dyn $crate::session::ToSql] };
    ($($value:expr),+ $(,)?) => { &[$(&$value as &dyn $crate::session::ToSql),+] as &[&dyn $crate::session::ToSql] };
}
