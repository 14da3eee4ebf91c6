//! Which program a database belongs to, and how it is upgraded to myao's schema.

use myao_plugin::{Place, Places as _};
use std::collections::BTreeSet;
use std::path::Path;

use myao_plugin::audience::ChannelFacts;
use myao_plugin::state::Workspace as _;
use myao_plugin::state::backfill::BackfillState as _;
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::records::{ChannelRecord, ImportSink, MemoryRecord, MessageRecord};
use myao_plugin::storage::{MemoryDraft, SaveMode, Storage as _};
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Scope};
use myao_testkit::blocking;
use rusqlite::Connection;

use super::draft;
use crate::foreign::{ForeignDatabase, ForeignError};
use crate::{ReadLegacy, SqliteStore, StoreError};

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

fn read_bot(
    old: &ForeignDatabase,
    sink: &mut dyn ImportSink,
) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let mut text = String::new();
    old.each::<ForeignError>("SELECT text FROM messages", &mut |row| {
        text = row.text("text")?.unwrap_or_default().into_owned();
        Ok(())
    })?;
    sink.channel(&ChannelRecord {
        id: "C1".into(),
        name: "general".into(),
        facts: ChannelFacts::UNKNOWN,
    })?;
    sink.message(&MessageRecord {
        channel_id: "C1".into(),
        ts: TsKey::parse("1709287200.000001")?,
        user_id: "U1".into(),
        author_name: None,
        is_bot: false,
        text,
        thread_ts: None,
        edited_at: None,
    })?;
    sink.memory(&MemoryRecord {
        scope: Scope::Channel,
        scope_id: "C1".into(),
        memory_type: MemoryType::LongTerm,
        content: "The past".into(),
        created_at: 1,
        updated_at: 2,
        source_message_count: 1,
        source_latest_message_ts: None,
    })?;
    Ok(())
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

#[tokio::test]
async fn database_of_the_first_schema_is_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("myao.db");
    write(&path, include_str!("../migrations/0001_start.sql"));
    write(&path, include_str!("first_schema.sql"));
    let store = SqliteStore::open(&path).unwrap();
    let workspace = store.workspace("W1", chrono_tz::UTC, "default").unwrap();
    let read = |superseded| {
        let filter = MemoryFilter {
            superseded,
            with_text: true,
            ..MemoryFilter::default()
        };
        blocking(workspace.view(Place::Operator).memories(filter.clone()))
            .unwrap()
            .remove(0)
    };
    let (older, newer) = (read(true), read(false));
    assert_eq!(
        (older.memory.id, older.memory.content.as_str()),
        (7, "older")
    );
    assert_eq!(
        (newer.memory.id, newer.memory.content.as_str()),
        (9, "newer")
    );
    assert_eq!(newer.memory.merged_through, Some(7));
    assert_eq!((newer.truncated, newer.coverage), (None, None));
    let sources = blocking(workspace.view(Place::Operator).sources(9)).unwrap();
    assert_eq!((sources.messages.len(), sources.memories.len()), (1, 1));
    store.pool.with_writer(|connection| {
        let broken = include_str!("broken_references.sql");
        let broken: i64 = connection.query_row(broken, [], |row| row.get(0)).unwrap();
        let checked: bool = connection
            .pragma_query_value(None, "foreign_keys", |row| row.get(0))
            .unwrap();
        assert_eq!((broken, checked), (0, true));
        let indexed = "SELECT (SELECT COUNT(*) FROM message_index), COUNT(*) FROM messages WHERE deleted_at IS NULL";
        let (indexed, messages): (i64, i64) = connection
            .query_row(indexed, [], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap();
        assert_eq!(indexed, messages);
        assert!(messages > 0);
    });
    let stand_in = MemoryDraft {
        mode: SaveMode::StandIn,
        expected: Some(9),
        ..draft("C1")
    };
    let stand_in = workspace
        .at(Place::Operator)
        .save_memory(stand_in, BTreeSet::new())
        .await
        .unwrap();
    assert_eq!((stand_in.id, stand_in.version), (10, 0));
}

/// They could quote a part of a prompt that a model's server had repeated.
#[test]
fn words_of_errors_that_an_earlier_version_kept_are_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("myao.db");
    for migration in [
        include_str!("../migrations/0001_start.sql"),
        include_str!("../migrations/0002_failing_models.sql"),
        include_str!("../migrations/0003_call_journal.sql"),
        include_str!("../migrations/0004_recordings.sql"),
        include_str!("../migrations/0005_slack.sql"),
        include_str!("fifth_schema.sql"),
    ] {
        write(&path, migration);
    }
    let store = SqliteStore::open(&path).unwrap();
    store.pool.with_writer(|connection| {
        for table in ["replies", "events"] {
            let sql = format!("SELECT error FROM {table} ORDER BY error");
            let mut statement = connection.prepare(&sql).unwrap();
            let errors = statement.query_map([], |row| row.get(0)).unwrap();
            let errors: Vec<Option<String>> = errors.map(Result::unwrap).collect();
            let kept = "failed in an earlier version, whose words are not kept".to_owned();
            assert_eq!(errors, [None, Some(kept)], "{table}");
        }
    });
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

#[test]
fn database_of_the_python_bot_is_upgraded_in_place() {
    for journal in ["DELETE", "WAL"] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("myao.db");
        write(&path, LEGACY);
        let bot = Connection::open(&path).unwrap();
        bot.pragma_update_and_check(None, "journal_mode", journal, |_| Ok(()))
            .unwrap();
        drop(bot);
        let read: ReadLegacy<'_> = &read_bot;
        let (store, tally) = SqliteStore::open_or_upgrade(&path, "W1", read, &|_, _| {}).unwrap();
        let tally = tally.expect("rows were taken over");
        assert_eq!((tally.messages.new, tally.memories.new), (1, 1));
        let workspace = store.workspace("W1", chrono_tz::UTC, "default").unwrap();
        let memories = blocking(
            workspace
                .view(Place::Operator)
                .memories(MemoryFilter::default()),
        )
        .unwrap();
        assert_eq!(memories[0].memory.version, 1);
        let old = Connection::open(&path).unwrap();
        let text: String = old
            .query_row(include_str!("legacy_text.sql"), [], |row| row.get(0))
            .unwrap();
        assert_eq!(text, "Hello");
        let (_, again) = SqliteStore::open_or_upgrade(&path, "W1", read, &|_, _| {}).unwrap();
        assert_eq!(again, None);
    }
}

#[test]
fn upgrade_that_fails_leaves_the_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("myao.db");
    write(&path, LEGACY);
    let before = std::fs::read(&path).unwrap();
    let read: ReadLegacy<'_> = &|old, sink| {
        read_bot(old, sink)?;
        Err("row 7 of `memories` has no scope".into())
    };
    let error = SqliteStore::open_or_upgrade(&path, "W1", read, &|_, _| {})
        .err()
        .expect("refused");
    assert!(
        error
            .to_string()
            .ends_with("could not be upgraded: row 7 of `memories` has no scope"),
        "{error}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
