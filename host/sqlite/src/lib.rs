//! The store in one SQLite file.
//!
//! Several processes may use a file at once. Every write is one `BEGIN IMMEDIATE` transaction, so it sees the data on
//! which it decides, and is written completely or not at all. The file is in WAL mode, in which no reader waits for a
//! writer (a write may wait for a read of this process: `pool.rs`), with `synchronous=FULL`: a saved memory has cost a
//! call to a model and is on disk when `save_memory` returns. After a power loss, only what was not saved yet is lost;
//! with `NORMAL`, the last saves could be lost, too.
//!
//! What is stored, and by which statements, is in `myao-sql`, for every engine. Here are the file, its schema and its
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
use foreign::ForeignDatabase;
use import::FileTransaction;
use myao_plugin::LocalTime;
use myao_plugin::state::Workspace;
use myao_plugin::state::import::ImportTarget;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::records::{ImportSink, ImportTally};
use myao_sql::backend::Backend;
use myao_sql::{SqlImport, SqlImportTarget, SqlWorkspace};
use pool::Pool;

/// Reads the rows of an older program's database into a sink.
pub type ReadLegacy<'a> = &'a dyn Fn(
    &ForeignDatabase,
    &mut dyn ImportSink,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>>;

/// Hears how many messages and memories of an older database are indexed, and how many there are.
pub type ShowIndexing<'a> = &'a dyn Fn(u64, u64);

/// Opens one workspace of a database file, as [`SqliteStore::open_or_upgrade`] and [`SqliteStore::workspace`] do.
/// Blocks.
///
/// # Errors
/// [`StoreError`].
pub fn open(
    path: impl AsRef<Path>,
    workspace: &WorkspaceOptions<'_>,
    read: ReadLegacy<'_>,
    indexing: ShowIndexing<'_>,
) -> Result<(Arc<dyn Workspace>, Option<ImportTally>), StoreError> {
    let (store, upgraded) = SqliteStore::open_or_upgrade(path, workspace.id, read, indexing)?;
    let workspace = store.workspace(
        workspace.id,
        workspace.local_time.clone(),
        workspace.scope_id,
    )?;
    Ok((Arc::new(workspace), upgraded))
}

/// Opens one workspace of a database as [`open`] does, but if nothing can be written beside it, for reading only. Blocks.
///
/// # Errors
/// [`StoreError`]; [`StoreError::ReadOnly`] if the database has an older schema, or a log that must be read with it.
pub fn open_to_look(
    path: impl AsRef<Path>,
    workspace: &WorkspaceOptions<'_>,
    read: ReadLegacy<'_>,
    indexing: ShowIndexing<'_>,
) -> Result<(Arc<dyn Workspace>, Option<ImportTally>), StoreError> {
    let path = path.as_ref();
    match open(path, workspace, read, indexing) {
        Err(error @ (StoreError::ReadOnly(_) | StoreError::CannotOpen { .. })) => {
            let store = SqliteStore::open_unchanging(path)?.ok_or(error)?;
            let workspace = store.workspace(
                workspace.id,
                workspace.local_time.clone(),
                workspace.scope_id,
            )?;
            Ok((Arc::new(workspace), None))
        }
        opened => opened,
    }
}

/// Copies a database of myao to a file that is empty or does not exist yet, as of one moment. The database is not upgraded,
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

/// Opens a database file for imports, as [`open`] does, but creates no workspace in it before an import succeeds.
/// Blocks.
///
/// # Errors
/// [`StoreError`].
pub fn import_target(
    path: impl AsRef<Path>,
    workspace: &WorkspaceOptions<'_>,
    read: ReadLegacy<'_>,
    indexing: ShowIndexing<'_>,
) -> Result<(Arc<dyn ImportTarget>, Option<ImportTally>), StoreError> {
    let (store, upgraded) = SqliteStore::open_or_upgrade(path, workspace.id, read, indexing)?;
    let id = workspace.id.to_owned();
    let target = SqlImportTarget::new(move |now| store.import(&id, now));
    Ok((Arc::new(target), upgraded))
}

/// Which workspace of a database file to open, and how its times are shown.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WorkspaceOptions<'a> {
    /// Its id.
    pub id: &'a str,
    /// Determines the UTC offset of the times that it returns.
    pub local_time: LocalTime,
    /// The scope id of its own memories.
    pub scope_id: &'a str,
}

impl<'a> WorkspaceOptions<'a> {
    /// The workspace with an id.
    pub fn new(id: &'a str, local_time: impl Into<LocalTime>, scope_id: &'a str) -> Self {
        Self {
            id,
            local_time: local_time.into(),
            scope_id,
        }
    }
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
        Self::open_showing(path.as_ref(), &|_, _| {})
    }

    fn open_showing(path: &Path, indexing: ShowIndexing<'_>) -> Result<Self, StoreError> {
        file_mode::create(path);
        let mut connection = pool::connect(path)?;
        match schema::prepare(&mut connection, indexing)
            .map_err(|fault| StoreError::of_fault(path, fault))?
        {
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

    /// Opens a database as [`SqliteStore::open`] does, but upgrades a database of the Python bot in place. The old
    /// tables stay beside the new ones as `legacy_*`; `read` reads their rows into `workspace`. Returns what was
    /// imported, or `None` if there was nothing to upgrade.
    ///
    /// # Errors
    /// [`StoreError::Upgrade`] if `read` fails; the file is then as it was.
    pub fn open_or_upgrade(
        path: impl AsRef<Path>,
        workspace: &str,
        read: ReadLegacy<'_>,
        indexing: ShowIndexing<'_>,
    ) -> Result<(Self, Option<ImportTally>), StoreError> {
        let path = path.as_ref();
        let upgraded = match Self::open_showing(path, indexing) {
            Err(StoreError::Legacy(_)) => upgrade(path, workspace, read)?,
            opened => return Ok((opened?, None)),
        };
        Ok((Self::open(path)?, upgraded))
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

/// Imports the rows of a legacy database in one transaction. A second connection reads the rows and sees the tables as
/// they were. Returns `None` if another process was first.
fn upgrade(
    path: &Path,
    workspace: &str,
    read: ReadLegacy<'_>,
) -> Result<Option<ImportTally>, StoreError> {
    let at = |error| StoreError::of(path, error);
    let old = ForeignDatabase::open(path).map_err(|source| StoreError::Upgrade {
        path: path.to_owned(),
        source: Box::new(source),
    })?;
    let session = pool::connect(path)?;
    // Nothing is written to the file before the commit: the reader would block that. So the memory has what is new.
    session
        .pragma_update(None, "cache_spill", false)
        .map_err(at)?;
    let mut transaction = FileTransaction::begin(session, path)?;
    transaction.limit_growth().map_err(at)?;
    let replaced = schema::replace_legacy(transaction.session());
    if !replaced.map_err(|fault| StoreError::of_fault(path, fault))? {
        return Ok(None);
    }
    // Nothing is stored yet that it could change, so it needs no time.
    let mut import = SqlImport::begin(Box::new(transaction), workspace, 0)?;
    let result = read(&old, &mut import);
    drop(old);
    result.map_err(|source| StoreError::Upgrade {
        path: path.to_owned(),
        source,
    })?;
    Ok(Some(import.commit()?))
}
