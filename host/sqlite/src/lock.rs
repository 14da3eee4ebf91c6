//! Work that one process at a time does on a workspace: it holds the operating system's lock on a file beside the database.
//!
//! The system takes the lock away when the process ends, however it ends. The file stays: if it were removed, two processes
//! could lock two files of one name.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use myao_plugin::Retry;

use super::file_mode;

/// Work that only one process at a time does on a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Work {
    /// Running the bot: two would answer the same mention.
    Bot,
    /// Making memories of the past: of two, one would stop at what the other has written.
    Backfill,
}

impl Work {
    /// Its name, in the names of files and in databases.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bot => "bot",
            Self::Backfill => "backfill",
        }
    }

    /// Who does it already, and what to do.
    fn taken_by(self, process: Option<u32>) -> String {
        let process = process.map_or_else(String::new, |id| format!(" (process {id})"));
        match self {
            Self::Bot => format!(
                "another bot{process} runs on it: stop that one first, or give this one another `memory.database_path`"
            ),
            Self::Backfill => format!(
                "another backfill or rebuild{process} works on it: wait until that one has ended, or stop it"
            ),
        }
    }
}

/// Why work cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockError {
    /// Another process does it.
    #[error("`{}`: {}", database.display(), work.taken_by(*process))]
    Held {
        /// The database file.
        database: PathBuf,
        /// The work.
        work: Work,
        /// The id of that process, if it has noted it.
        process: Option<u32>,
    },
    /// The file that is locked cannot be used.
    #[error(
        "no file beside `{}` can be locked ({source}): check that you may write in its folder",
        database.display()
    )]
    Unusable {
        /// The database file.
        database: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl LockError {
    /// If and when the work may begin later.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::Held { .. } => Retry::Later,
            Self::Unusable { .. } => Retry::AfterRepair,
        }
    }
}

/// Keeps other processes from the same work until it is dropped.
#[derive(Debug)]
pub struct WorkLock(#[expect(dead_code, reason = "closing it gives the lock back")] File);

/// Begins work on a workspace of a database that exists. Blocks for a moment only.
///
/// # Errors
/// [`LockError`].
pub fn lock(
    database: impl AsRef<Path>,
    workspace: &str,
    work: Work,
) -> Result<WorkLock, LockError> {
    let database = database.as_ref();
    let unusable = |source| LockError::Unusable {
        database: database.to_owned(),
        source,
    };
    let path = lock_file(database, workspace, work).map_err(unusable)?;
    file_mode::create(&path);
    let mut options = OpenOptions::new();
    let mut file = options
        .read(true)
        .write(true)
        .open(&path)
        .map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(LockError::Held {
                database: database.to_owned(),
                work,
                process: holder(&mut file),
            });
        }
        Err(TryLockError::Error(error)) => return Err(unusable(error)),
    }
    // Only for people: the lock counts without it.
    let noted = file
        .set_len(0)
        .and_then(|()| writeln!(file, "{}", std::process::id()));
    if let Err(error) = noted {
        tracing::debug!("`{}` does not name this process: {error}", path.display());
    }
    Ok(WorkLock(file))
}

/// The process that has noted itself in a locked file.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// The file that is locked. A database has one place, whichever links lead to it.
fn lock_file(database: &Path, workspace: &str, work: Work) -> std::io::Result<PathBuf> {
    let mut name = database.canonicalize()?.into_os_string();
    name.push(format!("-{}-{}.lock", work.name(), in_file_name(workspace)));
    Ok(name.into())
}

/// An id of which no two are the same name of a file.
fn in_file_name(id: &str) -> String {
    let encoded = id.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => char::from(byte).to_string(),
        other => format!("%{other:02x}"),
    });
    encoded.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{LockError, Work, lock};

    #[test]
    fn work_is_held_by_one_for_each_workspace() {
        let folder = tempfile::TempDir::new().unwrap();
        let database = folder.path().join("myao.db");
        std::fs::write(&database, "").unwrap();
        let link = folder.path().join("link.db");
        std::os::unix::fs::symlink(&database, &link).unwrap();

        let held = lock(&database, "a/b", Work::Bot).unwrap();
        let second = lock(&link, "a/b", Work::Bot).unwrap_err();
        let process = Some(std::process::id());
        assert!(
            matches!(second, LockError::Held { work: Work::Bot, process: p, .. } if p == process)
        );
        let others = [
            lock(&database, "a%2fb", Work::Bot),
            lock(&database, "A/B", Work::Bot),
            lock(&database, "a/b", Work::Backfill),
        ];
        assert!(others.iter().all(Result::is_ok), "{others:?}");

        drop(held);
        assert!(lock(&link, "a/b", Work::Bot).is_ok());
    }
}
