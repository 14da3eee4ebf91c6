//! An empty workspace for tests, in a file that goes away.
#![allow(clippy::unwrap_used)]

use myao_plugin::WORKSPACE_SCOPE_ID;
use myao_sql::SqlWorkspace;
use myao_sqlite::SqliteStore;
use tempfile::TempDir;

/// The folder of the file, and the workspace.
pub(crate) fn workspace() -> (TempDir, SqlWorkspace) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("myao.db")).unwrap();
    let workspace = store.workspace("W1", chrono_tz::UTC, WORKSPACE_SCOPE_ID);
    (folder, workspace.unwrap())
}
