//! Why the store failed, with the file's path and what to do.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use myao_plugin::storage::StorageError;
use myao_plugin::{OtherReason, Retry};
use myao_sql::fault::Fault;
use myao_sql::session::Error;
use rusqlite::{ErrorCode, ffi};

/// Why a database could not be opened, read or written. In every case the database is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The file is not an SQLite database.
    #[error("`{}` is not an SQLite database: name another file in `memory.database_path`", .0.display())]
    NotADatabase(PathBuf),
    /// The database belongs to another program.
    #[error("`{}` is the database of another program: name another file in `memory.database_path`", .0.display())]
    Foreign(PathBuf),
    /// The Python bot's own database, but only a database of myao is accepted.
    #[error("`{}` is the Python bot's database: import it into a new one with `myao import {}`", .0.display(), .0.display())]
    Legacy(PathBuf),
    /// A newer myao wrote the schema.
    #[error("`{}` was written by a newer myao (schema {found}, this one knows {known}): update myao", path.display())]
    Newer {
        /// The database file.
        path: PathBuf,
        /// Its schema version.
        found: i32,
        /// The newest schema version that this program knows.
        known: i32,
    },
    /// The folder does not exist, or there is no permission to read or write there.
    #[error("`{}` cannot be opened ({detail}): check that its folder exists and that you may write there", path.display())]
    CannotOpen {
        /// The database file.
        path: PathBuf,
        /// SQLite's error.
        detail: String,
    },
    /// The file, its folder or its disk is read-only.
    #[error("`{}` is read-only: make the file and its folder writable", .0.display())]
    ReadOnly(PathBuf),
    /// There is no space left.
    #[error("the disk that holds `{}` is full: free some space and try again", .0.display())]
    Full(PathBuf),
    /// Another program holds the lock for longer than this program waits.
    #[error("`{}` is locked by another program: stop that program, or try again later", .0.display())]
    Locked(PathBuf),
    /// Reading or writing the disk failed.
    #[error("the disk that holds `{}` failed ({detail}): check the disk and try again", path.display())]
    Disk {
        /// The database file.
        path: PathBuf,
        /// SQLite's error.
        detail: String,
    },
    /// The content is inconsistent.
    #[error("`{}` is damaged ({detail}): restore it from a backup", path.display())]
    Damaged {
        /// The database file.
        path: PathBuf,
        /// SQLite's error.
        detail: String,
    },
    /// The schema is larger than any that myao or the Python bot makes.
    #[error("reading the tables of `{}` takes far too long: name another file in `memory.database_path`", .0.display())]
    TooManyTables(PathBuf),
    /// The request is not valid for the stored data.
    #[error("{}", message(.0))]
    Refused(StorageError),
    /// Anything else that SQLite says.
    #[error("`{}`: {source}", path.display())]
    Sqlite {
        /// The database file.
        path: PathBuf,
        /// SQLite's error.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// The text of an error of the contract.
fn message(error: &StorageError) -> &str {
    match error {
        StorageError::NotFound(text)
        | StorageError::Conflict(text)
        | StorageError::Unavailable(text)
        | StorageError::Invalid(text) => text,
        StorageError::Other(other) => &other.text,
    }
}

impl StoreError {
    /// Returns true if the same call may succeed later.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::Locked(_) => Retry::Later,
            Self::Refused(error) => error.retry(),
            _ => Retry::AfterRepair,
        }
    }

    /// Adds the path to a fault of a transaction.
    pub(super) fn of_fault(path: &Path, fault: Fault) -> Self {
        match fault {
            Fault::Refused(error) => Self::Refused(error),
            Fault::Database(Error::Engine(error)) => match error.downcast::<rusqlite::Error>() {
                Ok(error) => Self::of(path, *error),
                Err(error) => Self::other(path, error),
            },
            Fault::Database(error) => Self::other(path, error.into()),
            other => Self::other(path, format!("{other:?}").into()),
        }
    }

    fn other(path: &Path, source: Box<dyn std::error::Error + Send + Sync>) -> Self {
        Self::Sqlite {
            path: path.to_owned(),
            source,
        }
    }

    /// Sorts errors of the disk in the same way.
    pub(super) fn of_disk(path: &Path, error: &io::Error) -> Self {
        let path = path.to_owned();
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::Full(path),
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Self::ReadOnly(path),
            _ => Self::Disk {
                path,
                detail: error.to_string(),
            },
        }
    }

    /// Sorts errors of SQLite by what can be done about them.
    pub(super) fn of(path: &Path, source: rusqlite::Error) -> Self {
        let path = path.to_owned();
        let detail = source.to_string();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::NotADatabase(path),
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                Self::CannotOpen { path, detail }
            }
            Some(ErrorCode::ReadOnly) => Self::ReadOnly(path),
            Some(ErrorCode::DiskFull) => Self::Full(path),
            // The file that the processes share could not grow.
            _ if is_of(&source, ffi::SQLITE_IOERR_SHMSIZE) => Self::Full(path),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Locked(path),
            Some(ErrorCode::SystemIoFailure) => Self::Disk { path, detail },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { path, detail },
            // Only reading the schema is limited in steps.
            Some(ErrorCode::OperationInterrupted) => Self::TooManyTables(path),
            _ => Self::other(&path, source.into()),
        }
    }
}

fn is_of(error: &rusqlite::Error, extended_code: i32) -> bool {
    matches!(error, rusqlite::Error::SqliteFailure(failure, _) if failure.extended_code == extended_code)
}

impl From<StorageError> for StoreError {
    fn from(error: StorageError) -> Self {
        Self::Refused(error)
    }
}

impl From<StoreError> for StorageError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Refused(error) => error,
            StoreError::CannotOpen { .. }
            | StoreError::ReadOnly(_)
            | StoreError::Full(_)
            | StoreError::Locked(_)
            | StoreError::Disk { .. } => Self::Unavailable(error.to_string()),
            _ => Self::Other(OtherReason::new("database", error.to_string())),
        }
    }
}
