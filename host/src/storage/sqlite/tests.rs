//! The suite for every store, and what is SQLite's own.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod conformance;
mod faults;
mod import;
mod inspect;
mod journal;
mod plans;
mod recordings;
mod schema;

use rusqlite::Connection;
use tempfile::TempDir;

use super::backlog::{recount_channel, recount_thread};
use super::{SqliteStore, SqliteWorkspace};
use crate::bindings::types::{Engine, MemoryType, Scope, Timestamp};
use crate::storage::conformance::whole;
use crate::storage::{Deferral, MemoryDraft, SaveMode};

/// A store in a folder that goes away.
struct Stored {
    store: SqliteStore,
    workspace: SqliteWorkspace,
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

/// A new version of a channel's short-term memory.
fn draft(channel: &str) -> MemoryDraft {
    MemoryDraft {
        scope: Scope::Channel,
        scope_id: channel.into(),
        memory_type: MemoryType::ShortTerm,
        mode: SaveMode::NewVersion,
        expected: None,
        content: "a text".into(),
        engine: Engine::Extractive,
        now: Timestamp {
            unix_seconds: 500,
            utc_offset_seconds: 0,
        },
        source_channel_id: String::new(),
        source_messages: Vec::new(),
        source_memories: Vec::new(),
        source_message_count: 1,
        source_latest_message_ts: None,
        merged_through: None,
        truncated: false,
        coverage: whole(1),
    }
}

/// A short-term memory that rests.
fn deferral() -> Deferral {
    Deferral {
        memory_type: MemoryType::ShortTerm,
        until: Timestamp {
            unix_seconds: 900,
            utc_offset_seconds: 0,
        },
        failures: 1,
        reason: "the model failed".into(),
    }
}

/// Counts every channel and thread anew, from nothing.
fn recount_all(connection: &Connection) {
    let transaction = connection.unchecked_transaction().unwrap();
    transaction
        .execute(include_str!("tests/forget_backlog.sql"), [])
        .unwrap();
    for (channel, _) in keys(&transaction, include_str!("tests/all_channels.sql")) {
        recount_channel(&transaction, channel).unwrap();
    }
    for (channel, thread) in keys(&transaction, include_str!("tests/all_threads.sql")) {
        recount_thread(&transaction, channel, thread).unwrap();
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
