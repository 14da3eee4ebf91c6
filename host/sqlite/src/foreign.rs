//! Reads databases of other programs without running anything in them.

use std::borrow::Cow;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, Row};

/// The maximum length of a value, a row or a statement.
const MAX_VALUE_BYTES: i32 = 4 << 20;

/// After how many steps of its virtual machine SQLite asks whether to continue.
const STEPS: i32 = 100_000;

/// How many steps are allowed for every database, and how many more for each of its bytes. Reading a row of about fifty
/// bytes takes a few hundred steps.
const MIN_STEPS: u64 = 100_000_000;
const STEPS_PER_BYTE: u64 = 20;

/// How many steps are allowed to read the schema: enough for a few thousand tables.
const SCHEMA_STEPS: u64 = 100_000;
const SCHEMA_STEPS_AT_ONCE: i32 = 1_000;

/// The limit of SQLite's memory: for pages, a sort and the schema.
const MEMORY_BYTES: u32 = 64 << 20;

/// Why a database of another program cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ForeignError {
    /// Reading it takes too long for its size.
    #[error("reading it takes far too long for its size")]
    TooMuchWork,
    /// Reading it needs too much memory.
    #[error("{0}")]
    TooMuchMemory(String),
    /// SQLite cannot read it.
    #[error("{0}")]
    Unreadable(String),
}

impl From<rusqlite::Error> for ForeignError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => Self::TooMuchWork,
            Some(ErrorCode::OutOfMemory | ErrorCode::TooBig) => {
                Self::TooMuchMemory(error.to_string())
            }
            _ => Self::Unreadable(error.to_string()),
        }
    }
}

/// Limits SQLite's memory for the whole process, permanently: the schema of another program's database may have any
/// size.
///
/// # Errors
/// [`ForeignError`].
pub fn limit_memory() -> Result<(), ForeignError> {
    let connection = Connection::open_in_memory()?;
    connection.pragma_update_and_check(None, "hard_heap_limit", MEMORY_BYTES, |_| Ok(()))?;
    Ok(())
}

/// A database of another program. It shows one state as long as it is open. Only its tables are read, and the time for
/// that is limited by the size of the file.
pub struct ForeignDatabase {
    connection: Connection,
}

impl ForeignDatabase {
    /// Opens a file for reading only.
    ///
    /// # Errors
    /// [`ForeignError`].
    pub fn open(path: &Path) -> Result<Self, ForeignError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(path, flags)?;
        guard(&mut connection, path)?;
        // All queries see the same state, even while the other program writes to the file.
        connection.execute_batch("BEGIN")?;
        Ok(Self { connection })
    }

    /// The columns of a table; empty if there is no such table, or if it is a view or a virtual table, because reading
    /// those may never end.
    ///
    /// # Errors
    /// [`ForeignError`].
    pub fn columns(&self, table: &str) -> Result<Vec<String>, ForeignError> {
        let mut statement = self.connection.prepare(
            "SELECT c.name FROM pragma_table_list AS t, pragma_table_info(t.name) AS c \
             WHERE t.schema = 'main' AND t.type = 'table' AND t.name = ?1",
        )?;
        let columns = statement.query_map([table], |row| row.get(0))?;
        Ok(columns.collect::<Result<_, _>>()?)
    }

    /// Passes the rows of a query to `take`, one by one.
    ///
    /// # Errors
    /// [`ForeignError`], or the error of `take`.
    pub fn each<E: From<ForeignError>>(
        &self,
        query: &str,
        take: &mut dyn FnMut(&ForeignRow<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut statement = self.connection.prepare(query).map_err(ForeignError::from)?;
        let mut rows = statement.query([]).map_err(ForeignError::from)?;
        while let Some(row) = rows.next().map_err(ForeignError::from)? {
            take(&ForeignRow(row))?;
        }
        Ok(())
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        Path::new(self.connection.path().unwrap_or_default())
    }
}

/// A row of a [`ForeignDatabase`].
pub struct ForeignRow<'r>(&'r Row<'r>);

impl<'r> ForeignRow<'r> {
    /// A column as text; `None` if it is NULL or does not exist.
    ///
    /// # Errors
    /// [`ForeignError`].
    pub fn text(&self, column: &str) -> Result<Option<Cow<'r, str>>, ForeignError> {
        let value = match self.0.get_ref(column) {
            Err(rusqlite::Error::InvalidColumnName(_)) => ValueRef::Null,
            other => other?,
        };
        Ok(match value {
            ValueRef::Null => None,
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes)),
            ValueRef::Integer(number) => Some(number.to_string().into()),
            ValueRef::Real(number) => Some(number.to_string().into()),
        })
    }
}

/// Limits a connection to reading tables, for a time that depends on the size of the file.
fn guard(connection: &mut Connection, path: &Path) -> Result<(), ForeignError> {
    for (setting, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        connection.set_db_config(setting, is_on)?;
    }
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
    limit_schema(connection)?;
    // This overrides the memory settings of the file, and a sort uses the disk.
    connection.execute_batch(
        "PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;
        PRAGMA cache_size = -2000; PRAGMA temp_store = FILE; SELECT 1 FROM sqlite_schema LIMIT 0;",
    )?;
    let bytes = path.metadata().map_or(0, |metadata| metadata.len());
    let most = MIN_STEPS.saturating_add(bytes.saturating_mul(STEPS_PER_BYTE));
    Ok(allow(connection, STEPS, most)?)
}

/// Limits the steps of a new connection to what reading a schema of some thousand tables needs.
pub(super) fn limit_schema(connection: &mut Connection) -> rusqlite::Result<()> {
    allow(connection, SCHEMA_STEPS_AT_ONCE, SCHEMA_STEPS)
}

/// Allows the connection `most` steps from now on. They are counted in units of `at_once`.
fn allow(connection: &mut Connection, at_once: i32, most: u64) -> rusqlite::Result<()> {
    let mut steps = 0_u64;
    let is_enough = move || {
        steps += u64::from(at_once.unsigned_abs());
        steps > most
    };
    connection.progress_handler(at_once, Some(is_enough))
}
