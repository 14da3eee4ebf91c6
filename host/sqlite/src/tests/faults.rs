//! Errors of the disk, and writers that race.

use myao_plugin::{Place, Places as _};
use std::collections::BTreeSet;
use std::time::Duration;

use myao_plugin::Scope;
use myao_plugin::audience::ChannelFacts;
use myao_plugin::state::upkeep::Upkeep as _;
use myao_plugin::storage::records::{ChannelRecord, ImportSink};
use myao_plugin::storage::{MemoryDraft, Storage, StorageError};
use myao_testkit::blocking;
use rusqlite::{Connection, ErrorCode, ffi};

use super::{Stored, deferral, draft, stored};
use crate::{SqliteStore, StoreError};
use myao_sql::parts::{Handed, save};

fn with_channel() -> Stored {
    let stored = stored();
    let mut import = stored.store.import("W1", 1).unwrap();
    let channel = ChannelRecord {
        id: "C1".into(),
        name: "general".into(),
        facts: ChannelFacts::PUBLIC,
    };
    import.channel(&channel).unwrap();
    import.commit().unwrap();
    stored
}

fn on_writer(stored: &Stored, work: impl FnOnce(&Connection) -> rusqlite::Result<()>) {
    // Pragmas only take effect outside a transaction.
    stored
        .store
        .pool
        .with_writer(|connection| work(connection).unwrap());
}

/// Tries to save. The save must fail, and leave everything as it was.
async fn refused(stored: &Stored, draft: MemoryDraft) -> String {
    let state = || {
        let workspace = &stored.workspace;
        (
            workspace.dump().unwrap(),
            blocking(workspace.deferrals()).unwrap(),
        )
    };
    let before = state();
    let result = stored
        .workspace
        .at(Place::Operator)
        .save_memory(draft, BTreeSet::new())
        .await;
    assert_eq!(state(), before);
    let Err(StorageError::Unavailable(text)) = result else {
        panic!("{result:?}")
    };
    assert!(text.contains("myao.db"), "{text}");
    text
}

#[tokio::test]
async fn full_disk_is_named_and_nothing_is_written() {
    let stored = with_channel();
    let saved = stored
        .workspace
        .at(Place::Operator)
        .save_memory(draft("C1"), BTreeSet::new())
        .await
        .unwrap();
    stored
        .workspace
        .at(Place::Operator)
        .defer(Scope::Channel, "C1".into(), deferral())
        .await
        .unwrap();
    on_writer(&stored, |connection| {
        connection.pragma_update_and_check(None, "max_page_count", 1, |_| Ok(()))
    });
    let content = "much text ".repeat(100_000);
    let next = MemoryDraft {
        expected: Some(saved.id),
        content,
        ..draft("C1")
    };
    let text = refused(&stored, next.clone()).await;
    assert!(text.contains("free some space"), "{text}");
    on_writer(&stored, |connection| {
        connection.pragma_update_and_check(None, "max_page_count", 1 << 30, |_| Ok(()))
    });
    assert_eq!(
        stored
            .workspace
            .at(Place::Operator)
            .save_memory(next, BTreeSet::new())
            .await
            .unwrap()
            .version,
        2
    );
    assert_eq!(blocking(stored.workspace.deferrals()).unwrap(), []);
}

#[tokio::test]
async fn read_only_database_is_named_and_nothing_is_written() {
    let stored = with_channel();
    on_writer(&stored, |connection| {
        connection.pragma_update(None, "query_only", true)
    });
    let text = refused(&stored, draft("C1")).await;
    assert!(text.contains("writable"), "{text}");
    let deferred = stored
        .workspace
        .at(Place::Operator)
        .defer(Scope::Channel, "C1".into(), deferral())
        .await;
    assert!(
        matches!(&deferred, Err(StorageError::Unavailable(text)) if text.contains("writable")),
        "{deferred:?}"
    );
    assert_eq!(blocking(stored.workspace.deferrals()).unwrap(), []);
}

#[tokio::test]
async fn locked_database_is_named_and_nothing_is_written() {
    let stored = with_channel();
    on_writer(&stored, |connection| {
        connection.busy_timeout(Duration::ZERO)
    });
    let import = stored.store.import("W1", 1).unwrap();
    let text = refused(&stored, draft("C1")).await;
    assert!(text.contains("locked"), "{text}");
    drop(import);
    assert!(
        stored
            .workspace
            .at(Place::Operator)
            .save_memory(draft("C1"), BTreeSet::new())
            .await
            .is_ok()
    );
}

#[test]
fn every_code_of_the_disk_says_what_to_do() {
    let text = |code| {
        let error = ffi::Error {
            code,
            extended_code: 0,
        };
        let error = rusqlite::Error::SqliteFailure(error, Some("no luck".into()));
        StorageError::from(StoreError::of(std::path::Path::new("/data/myao.db"), error))
    };
    for (code, remedy) in [
        (ErrorCode::DiskFull, "free some space"),
        (ErrorCode::ReadOnly, "writable"),
        (ErrorCode::DatabaseBusy, "stop that program"),
        (ErrorCode::SystemIoFailure, "check the disk"),
        (ErrorCode::CannotOpen, "check that its folder exists"),
    ] {
        let StorageError::Unavailable(text) = text(code) else {
            panic!("{code:?}")
        };
        assert!(
            text.contains("/data/myao.db") && text.contains(remedy),
            "{text}"
        );
    }
    let StorageError::Other(other) = text(ErrorCode::DatabaseCorrupt) else {
        panic!()
    };
    assert!(other.text.contains("backup"), "{other:?}");
}

#[test]
fn of_two_processes_that_save_one_version_one_gets_a_conflict() {
    let stored = with_channel();
    let mut expected = None;
    for round in 1..=20 {
        let results: Vec<_> = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..2)
                .map(|_| {
                    scope.spawn(|| {
                        // A separate store, as in another process.
                        let store = SqliteStore::open(stored.store.pool.path()).unwrap();
                        let workspace = store.workspace("W1", chrono_tz::UTC, "default").unwrap();
                        let draft = MemoryDraft {
                            expected,
                            ..draft("C1")
                        };
                        workspace.write(|connection, place| {
                            save(connection, place, &draft, &Handed::default())
                        })
                    })
                })
                .collect();
            writers
                .into_iter()
                .map(|writer| writer.join().unwrap())
                .collect()
        });
        let saved: Vec<_> = results.iter().flatten().collect();
        assert_eq!(saved.len(), 1, "{results:?}");
        assert_eq!(saved[0].version, round);
        let conflict = |result| matches!(result, &Err(StorageError::Conflict(_)));
        assert!(results.iter().any(conflict), "{results:?}");
        expected = Some(saved[0].id);
    }
}
