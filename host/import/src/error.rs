//! Why an import failed.

use std::path::PathBuf;

use myao_plugin::storage::StorageError;
use myao_sqlite::foreign::ForeignError;

/// Why an import failed. Nothing is imported then: the caller commits only after success.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A file or folder cannot be read.
    #[error("cannot read `{path}`: {source}", path = .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Neither an export nor a database.
    #[error("`{path}` cannot be imported (it is {found}): give a Slack workspace export, as a folder or a zip file, or the Python bot's SQLite file", path = .path.display())]
    UnknownKind {
        /// The file.
        path: PathBuf,
        /// Its actual form.
        found: &'static str,
    },
    /// A folder or zip file without the lists that a Slack export has.
    #[error("`{path}` is not a Slack workspace export: expected {expected}, at its top or in its one top folder; found {found}", path = .path.display())]
    NotAnExport {
        /// The folder or zip file.
        path: PathBuf,
        /// The missing part.
        expected: &'static str,
        /// The text in its place.
        found: String,
    },
    /// A file of the export is not JSON of the expected shape.
    #[error("{file}, line {line}, column {column}: {detail}")]
    Json {
        /// The file.
        file: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1; 0 if the line ends too early.
        column: usize,
        /// The fault.
        detail: String,
    },
    /// The zip file is cut off or broken.
    #[error("{file}: the zip file is damaged or incomplete ({detail}); download the export again")]
    DamagedZip {
        /// The zip file, and the entry if the fault is in one.
        file: String,
        /// The fault.
        detail: String,
    },
    /// The zip file is protected by a password.
    #[error("{file} is encrypted; unpack it with its password and import the folder")]
    Encrypted {
        /// The zip file and the entry.
        file: String,
    },
    /// One file unpacks to more than any export holds.
    #[error("{file} has more than {limit} bytes when unpacked: no file of an export is so large")]
    TooLarge {
        /// The file.
        file: String,
        /// The most that is read of one file.
        limit: u64,
    },
    /// All files together unpack to more than any export holds.
    #[error("`{path}` unpacks to more than {limit} bytes: no export of its size does", path = .path.display())]
    ExportTooLarge {
        /// The folder or zip file.
        path: PathBuf,
        /// The most that is read of all files.
        limit: u64,
    },
    /// One file has more elements than any export holds.
    #[error("{file} has more than {limit} records: no file of an export has so many")]
    TooMany {
        /// The file.
        file: String,
        /// The most that is read of one file.
        limit: u64,
    },
    /// It names more than fits into the memory for an import.
    #[error("`{path}` names more people, channels, files and threads than fit into {limit} bytes of memory: import a part of it at a time", path = .path.display())]
    TooMuchToKeep {
        /// The file or folder.
        path: PathBuf,
        /// The most that is kept in memory.
        limit: usize,
    },
    /// Something is neither a file nor a folder.
    #[error("`{path}` is {kind}: an import reads only files and folders; put the file itself there, or remove it", path = .path.display())]
    Special {
        /// Where it is.
        path: PathBuf,
        /// Its kind.
        kind: &'static str,
    },
    /// A database cannot be imported.
    #[error("`{path}`: {source}", path = .path.display())]
    InDatabase {
        /// The database file.
        path: PathBuf,
        /// Why.
        source: Box<ImportError>,
    },
    /// The database is not the Python bot's.
    #[error("the database has no table `{table}`, so it is not the Python bot's")]
    MissingTable {
        /// The table.
        table: &'static str,
    },
    /// A table lacks a column that the import needs.
    #[error(
        "the database's table `{table}` has no column `{column}`, so it is not the Python bot's"
    )]
    MissingColumn {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
    },
    /// Reading the database takes too long for its size.
    #[error(
        "reading it takes far too long for its size: it is damaged, or not the Python bot's database"
    )]
    TooMuchWork,
    /// Reading the database needs too much memory.
    #[error(
        "reading it needs more memory than the Python bot's tables do ({0}): it is damaged, or not the bot's database"
    )]
    TooMuchMemory(String),
    /// SQLite cannot read the database.
    #[error("cannot read the Python bot's database: {0}")]
    Sqlite(String),
    /// The store failed.
    #[error("the store failed: {}", store_detail(.0))]
    Store(StorageError),
}

impl From<ForeignError> for ImportError {
    fn from(error: ForeignError) -> Self {
        match error {
            ForeignError::TooMuchWork => Self::TooMuchWork,
            ForeignError::TooMuchMemory(detail) => Self::TooMuchMemory(detail),
            other => Self::Sqlite(other.to_string()),
        }
    }
}

impl From<StorageError> for ImportError {
    fn from(error: StorageError) -> Self {
        Self::Store(error)
    }
}

fn store_detail(error: &StorageError) -> &str {
    match error {
        StorageError::NotFound(text)
        | StorageError::Conflict(text)
        | StorageError::Unavailable(text)
        | StorageError::Invalid(text) => text,
        StorageError::Other(other) => &other.text,
    }
}
