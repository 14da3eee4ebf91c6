//! The store in one SQLite file.
//!
//! Several processes may use a file at once. Every write is one `BEGIN IMMEDIATE` transaction, so it sees the data on
//! which it decides, and is written completely or not at all. The file is in WAL mode, in which no reader waits for a
//! writer (a write may wait for a read of this process: `pool.rs`), with `synchronous=FULL`: a saved memory has cost a
//! call to a model and is on disk when `save_memory` returns. After a power loss, only what was not saved yet is lost;
//! with `NORMAL`, the last saves could be lost, too.
//!
//! The statements and the rules about rows are in `myao-sql`, for every engine. Here are the file, its schema and its
//! transactions.

mod error;
pub mod examine;
mod file_mode;
pub mod foreign;
mod import;
pub mod lock;
mod pool;
mod schema;
mod session;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

pub use error::StoreError;
use import::FileTransaction;
use myao_plugin::LocalTime;
use myao_plugin::storage::StorageError;
use myao_sql::backend::Backend;
use myao_sql::{SqlImport, SqlWorkspace};
use pool::Pool;

/// Copies a database of myao to a file that is empty or does not exist yet, as of one moment. The database is not migrated,
/// and the copy is readable by its owner only. Blocks.
///
/// # Errors
/// [`StoreError`].
pub fn copy(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<(), StoreError> {
    let (from, to) = (from.as_ref(), to.as_ref());
    let connection = pool::connect(from)?;
    let found = schema::look(&connection).map_err(|error| StoreError::of(from, error))?;
    if found == Some(schema::Found::Foreign) {
        return Err(StoreError::Foreign(from.to_owned()));
    }
    file_mode::create(to);
    let copied = connection.execute("VACUUM INTO ?1", [to.to_string_lossy()]);
    copied.map_err(|error| StoreError::of(to, error))?;
    Ok(())
}

/// A database file of myao.
#[derive(Clone)]
pub struct SqliteStore {
    pool: Arc<Pool>,
}

impl SqliteStore {
    /// Opens a database. If it does not exist, it is created; if its schema is older, it is migrated. Afterwards only
    /// its owner may read it.
    ///
    /// # Errors
    /// [`StoreError::Legacy`] for the database of the Python bot; other errors if the file or the disk cannot be used.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        file_mode::create(path);
        let mut connection = pool::connect(path)?;
        match schema::prepare(&mut connection).map_err(|fault| StoreError::of_fault(path, fault))? {
            schema::Found::Ours => {
                let pool = Arc::new(Pool::new(path, connection)?);
                file_mode::tighten(path);
                Ok(Self { pool })
            }
            schema::Found::Legacy => Err(StoreError::Legacy(path.to_owned())),
            schema::Found::Foreign => Err(StoreError::Foreign(path.to_owned())),
            schema::Found::Newer(found) => Err(StoreError::Newer {
                path: path.to_owned(),
                found,
                known: schema::NEWEST,
            }),
        }
    }

    /// Opens a database as [`Self::open`] does, but if nothing can be written beside it, for reading only. Blocks.
    ///
    /// # Errors
    /// As [`Self::open`]; [`StoreError::ReadOnly`] if the database has an older schema, or a log that must be read with it.
    pub fn open_to_look(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref();
        match Self::open(path) {
            Err(error @ (StoreError::ReadOnly(_) | StoreError::CannotOpen { .. })) => {
                Self::open_unchanging(path)?.ok_or(error)
            }
            opened => opened,
        }
    }

    /// Opens a database that nobody writes to, and reads nothing but its file. `None` if that is not enough: another program has
    /// it open, or has left a log.
    fn open_unchanging(path: &Path) -> Result<Option<Self>, StoreError> {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        if !path.is_file() || Path::new(&log).exists() {
            return Ok(None);
        }
        let connection = pool::connect_unchanging(path)?;
        let found = schema::look(&connection).map_err(|error| StoreError::of(path, error))?;
        match found {
            Some(schema::Found::Ours) => {
                let pool = Arc::new(Pool::unchanging(path, connection));
                Ok(Some(Self { pool }))
            }
            // To be read it would have to be upgraded first.
            _ => Err(StoreError::ReadOnly(path.to_owned())),
        }
    }

    /// One workspace of the database. `local_time`, a time zone, determines the UTC offset of the times that it returns,
    /// `workspace_scope_id` is the scope id of its own memories. Blocks.
    ///
    /// # Errors
    /// If the file or the disk cannot be used.
    pub fn workspace(
        &self,
        id: &str,
        local_time: impl Into<LocalTime>,
        workspace_scope_id: &str,
    ) -> Result<SqlWorkspace, StoreError> {
        let known = self
            .pool
            .read(|connection| Ok(myao_sql::known_workspace(connection, id)?))?;
        let key = match known {
            Some(key) => key,
            None => self
                .pool
                .write(|connection| Ok(myao_sql::workspace_key(connection, id)?))?,
        };
        Ok(SqlWorkspace::new(
            self.pool.clone(),
            key,
            local_time.into(),
            workspace_scope_id,
        ))
    }

    /// The database without a workspace, to copy it.
    #[must_use]
    pub fn backend(&self) -> Arc<dyn Backend> {
        self.pool.clone()
    }

    /// Begins an import into a workspace at `now` in Unix seconds, as one transaction. Other writers wait until it ends.
    /// Blocks.
    ///
    /// # Errors
    /// If the file or the disk cannot be used.
    pub fn import(&self, workspace: &str, now: i64) -> Result<SqlImport, StorageError> {
        let path = self.pool.path();
        let transaction = FileTransaction::begin(pool::connect(path)?, path)?;
        SqlImport::begin(Box::new(transaction), workspace, now)
    }
}
