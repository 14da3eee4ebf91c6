//! The suite for every store, and tests of what only the SQLite store has.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod backlog;
mod conformance;
mod copy;
mod dump;
mod faults;
mod on_disk;
mod oracle;
mod orders;
mod plans;
mod pool;
mod schema;
mod search;
mod vectors;
mod workspaces;

use myao_plugin::state::inbox::Inbox as _;
use myao_plugin::storage::effects::Effect;
use myao_testkit::conformance::key;
use myao_testkit::conformance::state::samples::{
    deferral, deleted, draft, edited, named, present, record, said,
};
use rusqlite::Connection;
use tempfile::TempDir;

use myao_sql::SqlWorkspace;
use myao_sql::fault::Fault;
use myao_sql::parts::{recount_channel, recount_thread};

use super::SqliteStore;
use super::session::SqliteSession;

/// A store in a temporary folder.
struct Stored {
    store: SqliteStore,
    workspace: SqlWorkspace,
    _folder: TempDir,
}

fn stored() -> Stored {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("myao.db")).unwrap();
    let workspace = store
        .workspace("W1", chrono_tz::Asia::Tokyo, "default")
        .unwrap();
    Stored {
        store,
        workspace,
        _folder: folder,
    }
}

impl Stored {
    /// Applies effects at a time long before any run.
    async fn apply(&self, effects: &[Effect]) {
        let applied = self.workspace.apply_effects(effects.to_vec(), 1);
        applied.await.unwrap();
    }
}

/// Recounts every channel and thread from scratch.
fn recount_all(session: &SqliteSession) {
    let transaction = session.unchecked_transaction().unwrap();
    transaction
        .execute(include_str!("tests/forget_backlog.sql"), [])
        .unwrap();
    for (channel, _) in keys(&transaction, include_str!("tests/all_channels.sql")) {
        recount_channel(session, channel).unwrap();
    }
    for (channel, thread) in keys(&transaction, include_str!("tests/all_threads.sql")) {
        recount_thread(session, channel, thread).unwrap();
    }
    transaction.commit().unwrap();
}

fn keys(connection: &Connection, sql: &str) -> Vec<(i64, i64)> {
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    rows.map(Result::unwrap).collect()
}
