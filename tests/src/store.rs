//! Databases in folders that go away, and what is in them.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use myao::config::Config;
use myao_plugin::storage::records::ImportSink as _;
use myao_plugin::{Timestamp, WORKSPACE_SCOPE_ID};
use myao_sql::{SqlImport, SqlWorkspace};
use myao_sqlite::SqliteStore;
use tempfile::TempDir;

use crate::conversation::History;

/// The workspace of all tests.
pub const WORKSPACE: &str = "W1";

/// A file system in memory, where the system has one: the tests save tens of thousands of times.
const MEMORY: &str = "/dev/shm";

/// A database in a folder of its own.
pub struct TestStore {
    folder: TempDir,
}

impl TestStore {
    /// An empty one.
    #[must_use]
    pub fn empty() -> Self {
        let folder = tempfile::tempdir_in(MEMORY).or_else(|_| tempfile::tempdir());
        Self {
            folder: folder.unwrap(),
        }
    }

    /// One that holds a history.
    #[must_use]
    pub fn of(history: &History) -> Self {
        let store = Self::empty();
        import(&store.open(), history);
        store
    }

    /// A copy of a database that nobody has open.
    #[must_use]
    pub fn copy_of(other: &Self) -> Self {
        let copy = Self::empty();
        std::fs::copy(other.path(), copy.path()).unwrap();
        copy
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("myao.db")
    }

    /// The database.
    #[must_use]
    pub fn open(&self) -> SqliteStore {
        SqliteStore::open(self.path()).unwrap()
    }

    /// The store, which keeps the file, with its workspace.
    #[must_use]
    pub fn into_workspace(self) -> (Self, SqlWorkspace) {
        let workspace = self.workspace();
        (self, workspace)
    }

    /// Its workspace, with connections of its own.
    #[must_use]
    pub fn workspace(&self) -> SqlWorkspace {
        workspace(&self.path())
    }
}

/// The workspace of a database.
#[must_use]
pub fn workspace(path: &Path) -> SqlWorkspace {
    let store = SqliteStore::open(path).unwrap();
    store
        .workspace(WORKSPACE, Config::default().timezone, WORKSPACE_SCOPE_ID)
        .unwrap()
}

/// Adds a history to a database.
pub fn import(store: &SqliteStore, history: &History) {
    import_into(store.import(WORKSPACE, 1).unwrap(), history);
}

/// Writes a history into an import, and commits it.
pub fn import_into(mut sink: SqlImport, history: &History) {
    for user in &history.users {
        sink.user(user).unwrap();
    }
    for channel in &history.channels {
        sink.channel(channel).unwrap();
    }
    for message in &history.messages {
        sink.message(message).unwrap();
    }
    for memory in &history.memories {
        sink.memory(memory).unwrap();
    }
    sink.commit().unwrap();
}

/// A time, shown as UTC.
#[must_use]
pub fn utc(unix_seconds: i64) -> Timestamp {
    Timestamp {
        unix_seconds,
        utc_offset_seconds: 0,
    }
}
