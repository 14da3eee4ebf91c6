//! Imports the data of other programs: Slack's workspace export, and the Python bot's database.
//!
//! [`detect`] tells what a path is, and [`import`] reads it into an [`ImportSink`]: users first, then channels, messages and
//! memories. Texts become readable here ([`myao_slack::mrkdwn`]), so that nothing after the import sees an entity or an id
//! in place of a name.
#![deny(missing_docs)]

mod error;
mod files;
mod limits;
mod options;
pub mod python_bot;
mod report;
mod slack_export;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod ts_set;

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

pub use error::ImportError;
pub use options::{Closed, Options};
pub use report::{ImportReport, Progress};

pub use myao_slack::message::LeftOut;

use myao_plugin::storage::records::ImportSink;

/// The first bytes of a zip file: of an entry, or of the end of an empty file.
const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
/// The first bytes of an SQLite file (<https://www.sqlite.org/fileformat.html>).
const SQLITE: &[u8] = b"SQLite format 3\0";

/// A source of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// A Slack workspace export in a folder.
    SlackFolder,
    /// A Slack workspace export in a zip file.
    SlackZip,
    /// The Python bot's database.
    PythonBot,
}

/// Detects the kind of a path, by its first bytes; its name does not matter.
///
/// # Errors
/// [`ImportError::Io`] if it cannot be read, [`ImportError::UnknownKind`] if it cannot be imported.
pub fn detect(path: &Path) -> Result<Source, ImportError> {
    let failed = |source| ImportError::Io {
        path: path.to_owned(),
        source,
    };
    // Only files are opened: opening a pipe would wait.
    let metadata = path.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Ok(Source::SlackFolder);
    }
    let unknown = |found| ImportError::UnknownKind {
        path: path.to_owned(),
        found,
    };
    if !metadata.is_file() {
        return Err(unknown(files::kind_of(metadata.file_type())));
    }
    let head = head(path).map_err(failed)?;
    if ZIP.iter().any(|magic| head.starts_with(magic)) {
        Ok(Source::SlackZip)
    } else if head.starts_with(SQLITE) {
        Ok(Source::PythonBot)
    } else if head.is_empty() {
        Err(unknown("empty"))
    } else {
        Err(unknown("a file of another kind"))
    }
}

/// Reads a path into a sink: of a Slack export what `options` take. The caller commits after success, and only then. `progress` is called before the first file
/// and after each one.
///
/// # Errors
/// [`ImportError`], which names the file or table with the fault. The sink then has a part of the data, which the caller
/// must not commit.
pub fn import(
    path: &Path,
    options: Options,
    sink: &mut dyn ImportSink,
    progress: &mut dyn FnMut(Progress),
) -> Result<ImportReport, ImportError> {
    match detect(path)? {
        Source::SlackFolder | Source::SlackZip => slack_export::read(path, options, sink, progress),
        Source::PythonBot => python_bot::read_path(path, sink, progress),
    }
}

fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?
        .take(SQLITE.len() as u64)
        .read_to_end(&mut head)?;
    Ok(head)
}
