//! Copies of a whole database: wherever they stop, and whatever is hard to copy.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use myao_plugin::storage::StorageError;
use myao_sql::backend::{Backend, Work};
use myao_sql::copy::{Copied, CopyOptions, copy};
use myao_sql::parts::index_all;
use rusqlite::Connection;
use rusqlite::types::Value;
use tempfile::TempDir;

use super::super::SqliteStore;

/// A database with rows in every table.
fn filled(folder: &TempDir) -> SqliteStore {
    let path = folder.path().join("from.db");
    let store = SqliteStore::open(&path).unwrap();
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(include_str!("every_table.sql"))
        .unwrap();
    let backend = store.backend();
    let indexed = backend.write(0, &mut |connection| Ok(index_all(connection, &|_, _| {})?));
    indexed.unwrap();
    store
}

fn to(folder: &TempDir) -> Arc<dyn Backend> {
    SqliteStore::open(folder.path().join("to.db"))
        .unwrap()
        .backend()
}

fn copied(from: &dyn Backend, to: &dyn Backend, batch: usize) -> Result<Copied, StorageError> {
    copy(from, to, &CopyOptions::default().batch(batch), &mut |_| {})
}

/// All rows of all tables.
fn rows(path: &Path) -> Vec<(String, Vec<Value>)> {
    let connection = Connection::open(path).unwrap();
    let tables = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') \
        AND name <> 'sqlite_schema' ORDER BY name";
    let mut tables = connection.prepare(tables).unwrap();
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let mut found = Vec::new();
    for table in tables.map(Result::unwrap) {
        let before = found.len();
        let select = match table.as_str() {
            "message_index" => "SELECT rowid, terms FROM message_index ORDER BY rowid".to_owned(),
            "sqlite_sequence" => "SELECT name, seq FROM sqlite_sequence ORDER BY name".to_owned(),
            _ => format!("SELECT * FROM {table}"),
        };
        let mut select = connection.prepare(&select).unwrap();
        let columns = select.column_count();
        let mut rows = select.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let values = (0..columns).map(|column| row.get(column).unwrap());
            found.push((table.clone(), values.collect()));
        }
        assert!(found.len() > before, "the test has no row of {table}");
    }
    found
}

/// A target that loses its connection at a write: before or after it has committed.
struct Failing {
    inner: Arc<dyn Backend>,
    writes_left: AtomicUsize,
    commits: bool,
}

impl Backend for Failing {
    fn read(&self, work: &mut Work<'_>) -> Result<(), StorageError> {
        self.inner.read(work)
    }

    fn write(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        if self.writes_left.fetch_sub(1, Ordering::Relaxed) > 1 {
            return self.inner.write(workspace, work);
        }
        if self.commits {
            self.inner.write(workspace, work)?;
        } else {
            self.inner.try_out(workspace, work)?;
        }
        Err(StorageError::Unavailable(
            "the connection is lost".to_owned(),
        ))
    }

    fn try_out(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        self.inner.try_out(workspace, work)
    }

    fn discard_erased(&self) -> Result<Option<String>, StorageError> {
        Ok(None)
    }
}

#[test]
fn copy_equals_its_source_wherever_it_was_stopped() {
    let folder = TempDir::new().unwrap();
    let from = filled(&folder);
    let source = rows(&folder.path().join("from.db"));
    for (batch, commits) in [(2_000, false), (7, false), (7, true)] {
        let folder = TempDir::new().unwrap();
        let target = to(&folder);
        let mut stops = 0;
        // A run notes that it begins, and writes one or two batches before it is stopped.
        let workspaces = loop {
            let failing = Failing {
                inner: target.clone(),
                writes_left: AtomicUsize::new(3 + stops % 2),
                commits,
            };
            match copied(&*from.backend(), &failing, batch) {
                Ok(result) => {
                    assert_eq!(result.differences, [""; 0]);
                    break result.workspaces;
                }
                Err(StorageError::Unavailable(_)) => stops += 1,
                // Only the answer was lost.
                Err(StorageError::Invalid(text)) if commits && text.contains("not empty") => {
                    break vec!["W1".to_owned(), "W2".to_owned()];
                }
                Err(error) => panic!("{error:?}"),
            }
            assert!(stops < 500, "it does not go on");
        };
        assert_eq!(workspaces, ["W1", "W2"]);
        assert!(stops > 20, "{stops}");
        assert_eq!(rows(&folder.path().join("to.db")), source);
    }
}

#[test]
fn what_was_damaged_is_found_and_the_copy_stays_unfinished() {
    let folder = TempDir::new().unwrap();
    let from = filled(&folder).backend();
    let target = to(&folder);
    // It stops before the comparison.
    let failing = Failing {
        inner: target.clone(),
        writes_left: AtomicUsize::new(usize::MAX),
        commits: true,
    };
    let writes = {
        let trial = TempDir::new().unwrap();
        let trial = Failing {
            inner: to(&trial),
            writes_left: AtomicUsize::new(usize::MAX),
            commits: true,
        };
        copied(&*from, &trial, 50).unwrap();
        usize::MAX - trial.writes_left.load(Ordering::Relaxed)
    };
    failing.writes_left.store(writes - 1, Ordering::Relaxed);
    assert!(copied(&*from, &failing, 50).is_err());
    let damage = Connection::open(folder.path().join("to.db")).unwrap();
    damage
        .execute_batch(
            "UPDATE messages SET text = 'other' WHERE key = 12; DELETE FROM judgments WHERE channel = 3;
            INSERT INTO backfill (workspace, next_tick) VALUES (5, 1); DELETE FROM message_index WHERE rowid = (3 << 36) | 12",
        )
        .unwrap();
    let result = copied(&*from, &*target, 50).unwrap();
    assert_eq!(
        result.differences,
        [
            "backfill [5]: is not in the source",
            "judgments [3,0]: was not copied",
            "messages [12]: `text` differs",
            "message_index: 1 texts are not in it",
        ]
    );
    assert!(!result.is_complete());
    // Nobody works with it.
    let store = SqliteStore::open(folder.path().join("to.db")).unwrap();
    let Err(refused) = store.workspace("W1", chrono_tz::UTC, "default") else {
        panic!("it was opened");
    };
    assert!(refused.to_string().contains("not complete"), "{refused}");
}

#[test]
fn only_an_empty_database_or_a_copy_of_the_same_is_copied_to() {
    let folder = TempDir::new().unwrap();
    let from = filled(&folder);
    let refusal = |result: Result<Copied, StorageError>| match result {
        Err(StorageError::Invalid(text)) => text,
        other => panic!("{other:?}"),
    };
    let to_itself = refusal(copied(&*from.backend(), &*from.backend(), 50));
    assert!(to_itself.contains("to itself"), "{to_itself}");
    let target = to(&folder);
    let stopped = |from: &SqliteStore| {
        let failing = Failing {
            inner: target.clone(),
            writes_left: AtomicUsize::new(9),
            commits: false,
        };
        copied(&*from.backend(), &failing, 50)
    };
    assert!(matches!(stopped(&from), Err(StorageError::Unavailable(_))));
    let other = TempDir::new().unwrap();
    let other = SqliteStore::open(other.path().join("other.db")).unwrap();
    other.workspace("W9", chrono_tz::UTC, "default").unwrap();
    let text = refusal(stopped(&other));
    assert!(text.contains("another database"), "{text}");
    let changes = Connection::open(folder.path().join("from.db")).unwrap();
    changes.execute("DELETE FROM judgments", []).unwrap();
    let text = refusal(stopped(&from));
    assert!(text.contains("has changed"), "{text}");
    // A complete copy is not written to.
    let second = TempDir::new().unwrap();
    let second = to(&second);
    assert!(
        copied(&*from.backend(), &*second, 50)
            .unwrap()
            .is_complete()
    );
    let text = refusal(copied(&*from.backend(), &*second, 50));
    assert!(text.contains("not empty"), "{text}");
}
