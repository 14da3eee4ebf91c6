//! The suite for every store, and what is SQLite's own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod conformance;

use tempfile::TempDir;

use super::{SqliteStore, SqliteWorkspace};

/// A store in a folder that goes away.
#[allow(dead_code, reason = "the folder lives as long as the store")]
pub(super) struct Stored {
    pub(super) folder: TempDir,
    pub(super) store: SqliteStore,
    pub(super) workspace: SqliteWorkspace,
}

pub(super) fn stored() -> Stored {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("myao.db")).unwrap();
    let workspace = store
        .workspace("W1", chrono_tz::Asia::Tokyo, "default")
        .unwrap();
    Stored {
        folder,
        store,
        workspace,
    }
}
