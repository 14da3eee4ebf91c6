//! The suite for every store, and tests of what only the SQLite store has.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod backlog;
mod conformance;
mod dump;
mod faults;
mod on_disk;
mod orders;
mod plans;
mod pool;
mod schema;
mod workspaces;

use myao_plugin::state::inbox::Inbox as _;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::storage::{Deferral, MemoryDraft, SaveMode};
use myao_plugin::ts::TsKey;
use myao_plugin::{Engine, MemoryType, Scope, Timestamp};
use myao_testkit::conformance::whole;
use rusqlite::Connection;
use tempfile::TempDir;

use super::backlog::{recount_channel, recount_thread};
use super::error::Fault;
use super::{SqliteStore, SqliteWorkspace};

/// A store in a temporary folder.
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

fn key(ts: &str) -> TsKey {
    TsKey::parse(ts).unwrap()
}

/// A message of C1 by U1.
fn record(ts: &str, thread: Option<&str>, text: &str) -> MessageRecord {
    MessageRecord {
        channel_id: "C1".into(),
        ts: key(ts),
        user_id: "U1".into(),
        author_name: None,
        is_bot: false,
        text: text.into(),
        thread_ts: thread.map(key),
        edited_at: None,
    }
}

/// A new message.
fn said(ts: &str, thread: Option<&str>, text: &str) -> Effect {
    Effect::Message {
        record: record(ts, thread, text),
        changed: key(ts),
    }
}

/// The edit of a message.
fn edited(ts: &str, thread: Option<&str>, at: &str, text: &str) -> Effect {
    Effect::Message {
        record: MessageRecord {
            edited_at: Some(key(at).unix_seconds()),
            ..record(ts, thread, text)
        },
        changed: key(at),
    }
}

fn deleted(ts: &str, at: &str) -> Effect {
    Effect::MessageDeleted {
        channel_id: "C1".into(),
        ts: key(ts),
        at: key(at),
    }
}

fn named(id: &str, name: &str, at: &str) -> Effect {
    Effect::ChannelName {
        id: id.into(),
        name: name.into(),
        is_private: None,
        at: key(at),
    }
}

fn present(id: &str, present: bool, at: &str) -> Effect {
    Effect::ChannelPresence {
        id: id.into(),
        present,
        at: key(at),
    }
}

impl Stored {
    /// Applies effects at a time long before any run.
    async fn apply(&self, effects: &[Effect]) {
        let applied = self.workspace.apply_effects(effects.to_vec(), 1);
        applied.await.unwrap();
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

/// The deferral of a short-term memory.
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

/// Recounts every channel and thread from scratch.
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
