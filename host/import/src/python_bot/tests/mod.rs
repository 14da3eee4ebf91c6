#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use super::*;
use crate::testing::Recorder;

const SCHEMA: &str = include_str!("schema.sql");
const ROWS: &str = include_str!("rows.sql");

fn database(statements: &[&str]) -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    for statement in statements {
        connection.execute_batch(statement).unwrap();
    }
    connection
}

fn read_from(connection: &Connection) -> (Recorder, ImportReport) {
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
        .map(|c| (c.id.as_str(), c.name.as_str(), c.is_private))
        .collect();
    assert_eq!(
        channels,
        [
            ("C1", "general", false),
            ("C2", "", false),
            ("C9", "", false),
            ("D1", "", true)
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
fn a_random_id_becomes_the_second_and_a_free_sequence() {
    let (sink, report) = read_all();
    let ids: Vec<_> = sink
        .messages
        .iter()
        .map(|m| (m.channel_id.as_str(), m.ts.to_string(), m.text.as_str()))
        .collect();
    assert!(
        ids.contains(&("C1", "1709287500.000201".to_owned(), "I am a random id")),
        "{ids:?}"
    );
    assert!(
        ids.contains(&("C1", "1709287500.000202".to_owned(), "so am I")),
        "{ids:?}"
    );
    assert!(
        ids.contains(&("C9", "1709287500.000000".to_owned(), "no fraction")),
        "{ids:?}"
    );
    assert_eq!(
        report.warnings[0],
        "messages without a Slack id, which got one from their replies or from the time they were stored: 3"
    );
}

#[test]
fn made_ids_are_the_same_on_every_import() {
    assert_eq!(read_all(), read_all());
    let vacuumed = database(&[SCHEMA, ROWS, "UPDATE messages SET id = 100 - id", "VACUUM"]);
    assert_eq!(read_from(&vacuumed), read_all());
}

#[test]
fn made_ids_go_round_within_their_second() {
    let (mut ids, mut budget) = (ids::ChannelIds::default(), budget());
    let last = time("2024-03-01 10:05:00.999999").unwrap();
    for name in ["a", "b"] {
        ids.add_without_id(name.to_owned(), last, false, &mut budget)
            .unwrap();
    }
    ids.make();
    assert_eq!(ids.find("a").unwrap().to_string(), "1709287500.999999");
    assert_eq!(ids.find("b").unwrap().to_string(), "1709287500.000000");
}

#[test]
fn threads_are_found_also_where_they_begin_on_a_random_id() {
    let (sink, report) = read_all();
    let thread_of = |text: &str| {
        let message = sink
            .messages
            .iter()
            .find(|m| m.text.contains(text))
            .unwrap();
        message.thread_ts.map(|ts| ts.to_string())
    };
    assert_eq!(
        thread_of("I am a random id").as_deref(),
        Some("1709287500.000201")
    );
    assert_eq!(thread_of("a reply").as_deref(), Some("1709287500.000201"));
    assert_eq!(
        thread_of("see #general").as_deref(),
        Some("1709287500.000200")
    );
    assert_eq!(
        thread_of("another reply").as_deref(),
        Some("1709287500.000200")
    );
    assert_eq!(thread_of("so am I"), None);
    assert_eq!(thread_of("of a lost thread"), None);
    assert_eq!(
        report.warnings[1],
        "replies to a message that does not exist, which are now outside of threads: 1"
    );
}

#[test]
fn a_post_gets_its_right_id_back_from_the_replies_to_it() {
    let (mut ids, mut budget) = (ids::ChannelIds::default(), budget());
    let stored = |seconds: &str| time(&format!("2024-03-01 10:05:{seconds}")).unwrap();
    ids.add_without_id("early".to_owned(), stored("00.000000"), false, &mut budget)
        .unwrap();
    ids.add_without_id("answer".to_owned(), stored("02.500000"), true, &mut budget)
        .unwrap();
    ids.add_without_id("post".to_owned(), stored("03.000000"), false, &mut budget)
        .unwrap();
    ids.add_without_id("late".to_owned(), stored("30.000000"), false, &mut budget)
        .unwrap();
    ids.add(TsKey::parse("1709287530.000000").unwrap(), &mut budget)
        .unwrap();
    for thread in [
        "1709287502.400000",
        "1709287520.000000",
        "1709287530.000000",
    ] {
        ids.name_thread(thread.to_owned(), &mut budget).unwrap();
    }
    ids.make();
    let made = |id| ids.find(id).unwrap().to_string();
    assert_eq!(made("post"), "1709287502.400000");
    assert!(ids.is_thread(ids.find("post").unwrap()));
    assert_eq!(made("early"), "1709287500.000000");
    assert_eq!(made("answer"), "1709287502.500000");
    assert_eq!(made("late"), "1709287530.000001");
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

/// Looking for a free id after the ones before it took a second's time for each message.
#[test]
fn many_messages_of_one_second_get_ids_in_order() {
    let (mut ids, mut budget) = (ids::ChannelIds::default(), budget());
    let noon = time("2024-03-01 12:00:00").unwrap();
    let second = noon.timestamp();
    for taken in 0..200_000 {
        let ts = TsKey::from_database(TsKey::first_of(second).to_database() + taken);
        ids.add(ts, &mut budget).unwrap();
    }
    for post in 0..100_000 {
        ids.add_without_id(format!("p{post}"), noon, false, &mut budget)
            .unwrap();
        ids.name_thread(format!("{second}.{}", 200_000 + post), &mut budget)
            .unwrap();
    }
    ids.make();
    assert_eq!(ids.made(), 100_000);
    assert_eq!(
        ids.find("p0").unwrap().to_string(),
        format!("{second}.200000")
    );
    assert_eq!(
        ids.find("p99999").unwrap().to_string(),
        format!("{second}.299999")
    );
}

#[test]
fn a_second_without_a_free_id_leaves_messages_without_one() {
    let (mut ids, mut budget) = (ids::ChannelIds::default(), budget());
    let noon = time("2024-03-01 12:00:00.5").unwrap();
    let first = TsKey::first_of(noon.timestamp()).to_database();
    for taken in (0..1_000_000).filter(|step| *step != 7) {
        let ts = TsKey::from_database(first + taken);
        ids.add(ts, &mut budget).unwrap();
    }
    for name in ["a", "b", "c"] {
        ids.add_without_id(name.to_owned(), noon, false, &mut budget)
            .unwrap();
    }
    ids.make();
    assert_eq!(ids.find("a"), Some(TsKey::from_database(first + 7)));
    assert_eq!((ids.find("b"), ids.find("c")), (None, None));
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
