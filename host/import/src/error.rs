//! Why an import did not happen.

use std::path::PathBuf;

use myao_plugin::storage::StorageError;

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
    #[error("`{path}` cannot be imported (it is {found}): give a Slack workspace export, as a folder or a zip file, or the Python bot's SQLite file", path = .path.display())]
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
    /// All files together unpack to more than any export holds.
    #[error("`{path}` unpacks to more than {limit} bytes, which no export of its size does", path = .path.display())]
    ExportTooLarge {
        /// The folder or zip file.
        path: PathBuf,
        /// The most that is read of all files.
        limit: u64,
    },
    /// One file has more elements than any export holds.
    #[error("{file} has more than {limit} records, which no file of an export has")]
    TooMany {
        /// The file.
        file: String,
        /// The most that is read of one file.
        limit: u64,
    },
    /// There is more to remember than any export needs.
    #[error("`{path}` names more people, channels, files and threads than fit into {limit} bytes of memory: import a part of it at a time", path = .path.display())]
    TooMuchToKeep {
        /// The file or folder.
        path: PathBuf,
        /// The most that is kept in memory.
        limit: usize,
    },
    /// Something in the folder is neither a file nor a folder.
    #[error("`{path}` is {kind}: an import reads only files and folders; put the file itself there, or take that away", path = .path.display())]
    Special {
        /// Where it is.
        path: PathBuf,
        /// What it is.
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
    /// Reading the database does not end in the time that its size explains.
    #[error(
        "reading it takes far longer than its size explains: it is damaged, or no database of the Python bot's"
    )]
    TooMuchWork,
    /// Reading the database needs more memory than the tables of the bot do.
    #[error(
        "reading it takes more memory than the Python bot's tables need ({0}): it is damaged, or no database of the bot's"
    )]
    TooMuchMemory(rusqlite::Error),
    /// SQLite cannot read the database.
    #[error("cannot read the Python bot's database: {0}")]
    Sqlite(rusqlite::Error),
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
