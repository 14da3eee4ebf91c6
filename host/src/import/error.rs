//! Why an import did not happen.

use std::path::PathBuf;

use crate::{storage::StorageError, ts::InvalidTs};

/// Why an import failed. Nothing of it is kept: the caller commits only after success.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file or folder cannot be read.
    #[error("cannot read `{path}`: {source}", path = .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Neither an export nor a database.
    #[error("`{path}` cannot be imported ({found}): give a Slack workspace export, as a folder or a zip file, or the Python bot's SQLite file", path = .path.display())]
    UnknownKind {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        found: &'static str,
    },
    /// A folder or zip file without the lists that a Slack export has.
    #[error("`{path}` is not a Slack workspace export: expected {expected}, at its top or in its one top folder; found {found}", path = .path.display())]
    NotAnExport {
        /// The folder or zip file.
        path: PathBuf,
        /// What is missing.
        expected: &'static str,
        /// What is there instead.
        found: String,
    },
    /// A file of the export is not the JSON that it should be.
    #[error("{file}, line {line}, column {column}: {detail}")]
    Json {
        /// The file.
        file: String,
        /// Counted from 1.
        line: usize,
        /// Counted from 1; 0 where the line ends too early.
        column: usize,
        /// What is wrong there.
        detail: String,
    },
    /// A message of the export has no valid id.
    #[error("{file}, message {index}: {source}")]
    BadTs {
        /// The day file.
        file: String,
        /// Which message of the file, counted from 1.
        index: usize,
        /// The id.
        source: InvalidTs,
    },
    /// The zip file is cut off or broken.
    #[error("{file}: the zip file is damaged or incomplete ({detail}); download the export again")]
    DamagedZip {
        /// The zip file, and the entry where one is to blame.
        file: String,
        /// What is wrong.
        detail: String,
    },
    /// The zip file is protected by a password.
    #[error("{file} is encrypted; unpack it with its password and import the folder")]
    Encrypted {
        /// The zip file and the entry.
        file: String,
    },
    /// One file unpacks to more than any export holds.
    #[error(
        "{file} is larger than {limit} bytes when unpacked, which no day of an export is; nothing was imported"
    )]
    TooLarge {
        /// The file.
        file: String,
        /// The most that is read of one file.
        limit: u64,
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
    /// A table lacks a column that the import cannot do without.
    #[error(
        "the database's table `{table}` has no column `{column}`, so it is not the Python bot's"
    )]
    MissingColumn {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
    },
    /// A row holds what cannot be read.
    #[error("table `{table}`, row {row}: column `{column}` holds `{value}`; expected {expected}")]
    BadRow {
        /// The table.
        table: &'static str,
        /// The key of the row.
        row: String,
        /// The column.
        column: &'static str,
        /// What it holds.
        value: String,
        /// What it should hold.
        expected: &'static str,
    },
    /// SQLite cannot read the database.
    #[error("cannot read the Python bot's database: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The store that is imported into refused.
    #[error("the store failed: {}", store_detail(.0))]
    Store(StorageError),
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
        | StorageError::Invalid(text)
        | StorageError::Other(text) => text,
    }
}
