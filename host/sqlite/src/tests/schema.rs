//! Which program a database belongs to.

use std::path::Path;

use myao_plugin::state::backfill::BackfillState as _;
use myao_testkit::blocking;
use rusqlite::Connection;

use crate::{SqliteStore, StoreError};

const LEGACY: &str = include_str!("legacy_bot.sql");

fn write(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

/// Opens the file and returns the error. The file must not change.
fn refusal(path: &Path) -> StoreError {
    let before = std::fs::read(path).ok();
    let error = SqliteStore::open(path).err().expect("refused");
    assert_eq!(std::fs::read(path).ok(), before);
    assert!(
        error.to_string().contains(path.to_str().unwrap()),
        "{error}"
    );
    error
}

#[test]
fn an_empty_file_with_a_version_of_another_program_becomes_ours() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("myao.db");
    write(&path, "PRAGMA user_version = 3");
    let store = SqliteStore::open(&path).unwrap();
    let workspace = store.workspace("W1", chrono_tz::UTC, "default").unwrap();
    blocking(workspace.set_backfill_tick(7)).unwrap();
    drop((store, workspace));
    assert!(SqliteStore::open(&path).is_ok());
}

#[test]
fn database_is_made_once_and_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("myao.db");
    let store = SqliteStore::open(&path).unwrap();
    let workspace = store.workspace("W1", chrono_tz::UTC, "default").unwrap();
    blocking(workspace.set_backfill_tick(7)).unwrap();
    drop(workspace);
    drop(store);
    let workspace = SqliteStore::open(&path)
        .unwrap()
        .workspace("W1", chrono_tz::UTC, "default")
        .unwrap();
    assert_eq!(blocking(workspace.backfill_tick()).unwrap(), Some(7));
}

#[test]
fn empty_file_becomes_a_database() {
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(SqliteStore::open(file.path()).is_ok());
}

#[test]
fn database_of_a_newer_myao_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("myao.db");
    drop(SqliteStore::open(&path).unwrap());
    write(&path, "PRAGMA user_version = 99");
    assert!(matches!(
        refusal(&path),
        StoreError::Newer { found: 99, .. }
    ));
}

#[test]
fn what_is_no_database_of_myao_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("notes.txt");
    std::fs::write(
        &text,
        "This is no database, and long enough to be read as a header of one. ".repeat(9),
    )
    .unwrap();
    assert!(matches!(refusal(&text), StoreError::NotADatabase(_)));
    let foreign = folder.path().join("foreign.db");
    write(&foreign, include_str!("foreign.sql"));
    assert!(matches!(refusal(&foreign), StoreError::Foreign(_)));
    let marked = folder.path().join("marked.db");
    write(&marked, "PRAGMA application_id = 77");
    assert!(matches!(refusal(&marked), StoreError::Foreign(_)));
    let bot = folder.path().join("bot.db");
    write(&bot, LEGACY);
    assert!(matches!(refusal(&bot), StoreError::Legacy(_)));
}

#[test]
fn path_that_leads_nowhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for path in [
        folder.path().join("missing/myao.db"),
        folder.path().to_owned(),
    ] {
        let error = refusal(&path);
        assert!(matches!(error, StoreError::CannotOpen { .. }), "{error:?}");
    }
}
