#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod made_ids;

use rusqlite::Connection;

use super::*;
use crate::testing::Recorder;

const SCHEMA: &str = include_str!("schema.sql");
const ROWS: &str = include_str!("rows.sql");

/// A database that is read. It outlives its file.
fn database(statements: &[&str]) -> ForeignDatabase {
    let file = tempfile::NamedTempFile::new().unwrap();
    let connection = Connection::open(file.path()).unwrap();
    for statement in statements {
        connection.execute_batch(statement).unwrap();
    }
    drop(connection);
    ForeignDatabase::open(file.path()).unwrap()
}

fn read_from(connection: &ForeignDatabase) -> (Recorder, ImportReport) {
    let mut sink = Recorder::default();
    let report = read(connection, &mut sink).unwrap();
    (sink, report)
}

fn read_all() -> (Recorder, ImportReport) {
    read_from(&database(&[SCHEMA, ROWS]))
}

fn budget() -> MemoryBudget {
    MemoryBudget::new(Path::new("bot.db"))
}

fn error_of(statements: &[&str]) -> ImportError {
    read(&database(statements), &mut Recorder::default()).unwrap_err()
}

#[test]
fn users_and_channels_are_read_also_those_that_only_messages_name() {
    let (sink, _) = read_all();
    let users: Vec<_> = sink
        .users
        .iter()
        .map(|u| (u.id.as_str(), u.name.as_str(), u.is_bot))
        .collect();
    assert_eq!(
        users,
        [
            ("U1", "田中", false),
            ("U2", "ben", false),
            ("U3", "", false),
            ("UB", "myao", true)
        ]
    );
    let channels: Vec<_> = sink
        .channels
        .iter()
        .map(|c| (c.id.as_str(), c.name.as_str(), c.facts.is_private))
        .collect();
    assert_eq!(
        channels,
        [
            ("C1", "general", None),
            ("C2", "", None),
            ("C9", "", None),
            ("D1", "", Some(true))
        ]
    );
}

#[test]
fn entities_in_the_text_are_resolved() {
    let (sink, _) = read_all();
    assert_eq!(
        sink.messages[0].text,
        "@ben see #general & page (https://e.org)"
    );
}

#[test]
fn every_message_is_counted_once() {
    let (sink, report) = read_all();
    assert_eq!((report.messages, sink.messages.len()), (7, 7));
    assert_eq!(report.left_out[&LeftOut::NoText], 1);
}

#[test]
fn memories_are_read_in_every_spelling() {
    let (sink, report) = read_all();
    let memories: Vec<_> = sink
        .memories
        .iter()
        .map(|m| {
            (
                m.scope,
                m.scope_id.as_str(),
                m.memory_type,
                m.content.as_str(),
            )
        })
        .collect();
    assert_eq!(
        memories,
        [
            (Scope::Channel, "C1", MemoryType::ShortTerm, "recent"),
            (
                Scope::Workspace,
                "default",
                MemoryType::ShortTerm,
                "retired"
            ),
            (
                Scope::Thread,
                "C1:1709287500.000200",
                MemoryType::ShortTerm,
                "thread"
            ),
            (Scope::Workspace, "default", MemoryType::LongTerm, "all"),
        ]
    );
    assert_eq!(report.memories, 4);
    assert_eq!(
        (
            report.left_out[&LeftOut::EmptyMemory],
            report.left_out[&LeftOut::UnknownMemory]
        ),
        (1, 1)
    );
    assert_eq!(
        report.warnings[2],
        "a memory of unknown scope or type was left out: `team`, `T1`, `long_term`"
    );
}

#[test]
fn memories_keep_their_times_counts_and_newest_message() {
    let (sink, _) = read_all();
    let times: Vec<_> = sink
        .memories
        .iter()
        .map(|m| (m.created_at, m.updated_at))
        .collect();
    let midnight = 1_709_251_200;
    assert_eq!(
        times,
        [
            (midnight + 2, midnight + 2),
            (midnight, midnight + 1),
            (midnight, midnight + 3),
            (midnight, midnight + 36_300)
        ]
    );
    assert_eq!(
        sink.memories
            .iter()
            .map(|m| m.source_message_count)
            .collect::<Vec<_>>(),
        [0, 1, 0, 3]
    );
    let newest: Vec<_> = sink
        .memories
        .iter()
        .map(|m| m.source_latest_message_ts.map(|ts| ts.to_string()))
        .collect();
    assert_eq!(
        newest,
        [None, None, None, Some("1709287500.000200".to_owned())]
    );
}

#[test]
fn columns_that_do_not_matter_may_be_missing() {
    let mut statements = vec![SCHEMA, ROWS];
    statements.extend([
        "ALTER TABLE messages DROP COLUMN mentions",
        "ALTER TABLE messages DROP COLUMN created_at",
        "ALTER TABLE messages DROP COLUMN user_name",
        "ALTER TABLE messages DROP COLUMN user_is_bot",
        "ALTER TABLE messages DROP COLUMN thread_ts",
        "ALTER TABLE users DROP COLUMN is_bot",
        "ALTER TABLE memories DROP COLUMN created_at",
        "ALTER TABLE memories DROP COLUMN source_message_count",
        "ALTER TABLE memories DROP COLUMN source_latest_message_ts",
    ]);
    let (sink, _) = read_from(&database(&statements));
    assert_eq!((sink.messages.len(), sink.memories.len()), (7, 4));
    assert!(sink.memories.iter().all(|m| m.created_at == m.updated_at));
}

#[test]
fn a_missing_table_or_column_is_named() {
    assert!(matches!(
        error_of(&[SCHEMA, "DROP TABLE memories"]),
        ImportError::MissingTable { table: "memories" }
    ));
    assert!(matches!(
        error_of(&[SCHEMA, "ALTER TABLE messages DROP COLUMN timestamp"]),
        ImportError::MissingColumn {
            table: "messages",
            column: "timestamp"
        }
    ));
}

#[test]
fn a_row_that_cannot_be_read_is_left_out_and_named_and_the_others_are_imported() {
    let (all, _) = read_all();
    let (sink, report) = read_from(&database(&[
        SCHEMA,
        ROWS,
        "UPDATE messages SET timestamp = 'noon' WHERE message_id = 'b6c1'",
        "UPDATE messages SET user_id = hex(zeroblob(3000)) WHERE rowid = 1",
        "UPDATE memories SET updated_at = NULL WHERE scope = 'CHANNEL'",
    ]));
    assert_eq!(sink.messages.len(), all.messages.len() - 2);
    let told: Vec<&String> = report
        .warnings
        .iter()
        .filter(|warning| warning.starts_with("left out: "))
        .collect();
    let found = |told: &str, what: &str| told.contains(what);
    assert!(
        told.iter().any(|told| found(
            told,
            "table `messages`, row C1/b6c1: column `timestamp` holds `noon`; expected a time in UTC, as in 2024-03-01 10:05:00"
        )),
        "{told:?}"
    );
    assert!(
        told.iter()
            .any(|told| found(told, "a column has a value that is too long")),
        "{told:?}"
    );
    assert!(
        told.iter()
            .any(|told| found(told, "row CHANNEL/C1/SHORT_TERM: column `updated_at`")),
        "{told:?}"
    );
}

#[test]
fn a_view_a_virtual_table_and_a_computed_column_are_no_tables_of_the_bot() {
    for other in [
        "CREATE VIEW messages AS SELECT * FROM set_aside",
        "CREATE VIRTUAL TABLE messages USING fts5 (message_id, channel_id, user_id, text, timestamp)",
    ] {
        let set_aside = "ALTER TABLE messages RENAME TO set_aside";
        let error = error_of(&[SCHEMA, ROWS, set_aside, other]);
        assert!(
            matches!(error, ImportError::MissingTable { table: "messages" }),
            "{error}"
        );
    }
    let computed = "CREATE TABLE messages (message_id, channel_id, user_id, timestamp, text AS (hex(zeroblob(500000000))))";
    let error = error_of(&[SCHEMA, "DROP TABLE messages", computed]);
    assert!(
        matches!(
            error,
            ImportError::MissingColumn {
                table: "messages",
                column: "text"
            }
        ),
        "{error}"
    );
}

#[test]
fn the_file_is_not_written_to() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("myao.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch(&format!("{SCHEMA}{ROWS}"))
        .unwrap();
    let before = std::fs::read(&path).unwrap();
    let mut seen = Vec::new();
    let mut sink = Recorder::default();
    let report = read_path(&path, &mut sink, &mut |p| {
        seen.push((p.files_done, p.files_total, p.messages))
    })
    .unwrap();
    assert_eq!((sink, report), read_all());
    assert_eq!(seen, [(0, 1, 0), (1, 1, 7)]);
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_damaged_database_is_named() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("myao.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch(&format!("{SCHEMA}{ROWS}"))
        .unwrap();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..5000]).unwrap();
    let error = read_path(&path, &mut Recorder::default(), &mut |_| ())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("myao.db") && error.contains("cannot read the Python bot's database"),
        "{error}"
    );
}
