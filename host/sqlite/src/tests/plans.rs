//! Which rows the statements visit.

use std::path::Path;

use myao_plugin::storage::records::{ImportSink, MessageRecord};
use myao_plugin::ts::TsKey;
use myao_sql::session::for_sqlite;
use rusqlite::{Connection, StatementStatus, ToSql, params};

use super::{recount_all, stored};

/// Files of `host/sql/src/*/sql/`.
const STATEMENTS: [&str; 104] = [
    "changed_since",
    "span_messages",
    "neighbours",
    "found_messages",
    "visible_channels",
    "recount_channel",
    "recount_thread",
    "merge_imported_channel",
    "newest_in_thread",
    "messages",
    "has_version",
    "insert_message",
    "await_second_version",
    "settle_messages",
    "give_back",
    "take_in_history",
    "memories_of_channels",
    "memories_of_threads",
    "memories_of_workspace",
    "due_channels",
    "due_threads",
    "due_workspace",
    "backlog_of_channel",
    "backlog_of_thread",
    "next_message",
    "newest_memory",
    "supersede_stand_in",
    "first_created",
    "deferrals",
    "set_deferral",
    "end_deferral",
    "clear_deferrals",
    "all_deferrals",
    "newest_in_channel",
    "waiting_answer",
    "current_text",
    "end_wait",
    "forget_answers",
    "calls",
    "use_of_models",
    "calls_of_memory",
    "recorded_save",
    "recording_of_memory",
    "recorded_calls",
    "input_digest",
    "unanswered",
    "mention",
    "answered_of_person",
    "answered_in_channel",
    "was_notified",
    "missing_messages",
    "ask_again",
    "recent_threads",
    "messages_between",
    "waiting_events",
    "set_aside_events",
    "forget_applied_events",
    "end_event",
    "event_failures",
    "waiting_replies",
    "replies",
    "message_row",
    "update_message",
    "thread_state",
    "has_threads",
    "end_changed_thread",
    "take_part",
    "rename_channel",
    "set_channel_private",
    "set_channel_present",
    "rename_user",
    "drop_reply",
    "parts",
    "has_deleted_before",
    "mark_sent",
    "has_gone_source",
    "unsent_parts",
    "fail_reply",
    "end_reply",
    "mark_sending",
    "judgment",
    "forget_judgments",
    "forget_reply_answers",
    "users_of",
    "channel_names",
    "ask_reply",
    "begin_reply",
    "oldest_new",
    "expect_first_version",
    "insert_handed_messages",
    "insert_handed_memories",
    "lines_to_erase",
    "wait_for_imported",
    "fail_event",
    "holds_what_is_gone",
    "end_history",
    "newest_message",
    "waiting_messages",
    "deferred_events",
    "deferred_replies",
    "judgments_under_way",
    "bring_back_changed_threads",
    "bring_back_memories",
    "bring_back_connected_through",
];

/// The text of a file, as SQLite takes it.
fn statement(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sql/src");
    let subjects = std::fs::read_dir(&root).unwrap();
    let text = subjects
        .map(|subject| subject.unwrap().path())
        .chain([root])
        .find_map(|folder| std::fs::read_to_string(folder.join(format!("sql/{name}.sql"))).ok())
        .unwrap_or_else(|| panic!("no statement is called {name}"));
    for_sqlite(&text).into_owned()
}

const TABLES: [&str; 17] = [
    "changed_threads",
    "events",
    "replies",
    "reply_parts",
    "judgments",
    "sync_state",
    "llm_calls",
    "recorded_calls",
    "recorded_saves",
    "recordings",
    "messages",
    "memories",
    "backlog",
    "channels",
    "users",
    "first",
    "deferrals",
];

#[test]
fn no_statement_reads_a_whole_table() {
    let stored = stored();
    stored.store.pool.with_writer(|connection| {
        for name in STATEMENTS {
            for step in plan(connection, &statement(name)) {
                let scanned = step
                    .strip_prefix("SCAN ")
                    .and_then(|rest| rest.split(' ').next());
                let whole =
                    scanned.is_some_and(|table| TABLES.contains(&table) || table.len() == 1);
                // These are tables that the statement itself has made or contains.
                let marks = matches!(scanned, Some("k" | "s" | "2" | "3"));
                assert!(!whole || marks, "{name}: {step}");
            }
        }
    });
}

fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection
        .prepare(&format!("EXPLAIN QUERY PLAN {sql}"))
        .unwrap();
    let nulls: Vec<Option<i64>> = vec![Some(0); statement.parameter_count()];
    let rows = statement
        .query_map(rusqlite::params_from_iter(nulls), |row| row.get(3))
        .unwrap();
    rows.map(Result::unwrap).collect()
}

/// How many steps SQLite takes to find what is due in this number of idle channels.
fn steps(channels: i64) -> Vec<(i32, usize)> {
    let stored = stored();
    stored.store.pool.with_writer(|connection| {
        connection
            .execute(include_str!("idle.sql"), [channels])
            .unwrap();
        connection
            .execute(include_str!("idle_messages.sql"), [])
            .unwrap();
        connection
            .execute_batch(include_str!("idle_memories.sql"))
            .unwrap();
        recount_all(connection);
        let second = 1_000_000_i64;
        let due: &[&dyn ToSql] = params![
            1,
            10_000 * second,
            5_000 * second,
            9_000 * second,
            50,
            false
        ];
        vec![
            count(connection, &statement("due_channels"), due),
            count(connection, &statement("due_threads"), &due[..3]),
            count(
                connection,
                &statement("due_workspace"),
                params![1, "default", 0],
            ),
            count(
                connection,
                &statement("due_workspace"),
                params![1, "default", 1],
            ),
        ]
    })
}

fn count(connection: &Connection, sql: &str, params: &[&dyn ToSql]) -> (i32, usize) {
    let mut statement = connection.prepare(sql).unwrap();
    let mut rows = statement.query(params).unwrap();
    let mut found = 0;
    while rows.next().unwrap().is_some() {
        found += 1;
    }
    drop(rows);
    (statement.get_status(StatementStatus::VmStep), found)
}

#[test]
fn a_hundred_thousand_idle_channels_cost_what_a_thousand_cost() {
    let (few, many) = (steps(1_000), steps(100_000));
    for (few, many) in few.iter().zip(&many) {
        assert_eq!(few.1, many.1);
        assert!(few.0 > 0 && many.0 <= few.0 + 50, "{few:?} {many:?}");
    }
    // The statement for the workspace gives one row, the others none.
    assert_eq!(
        many.iter().map(|step| step.1).collect::<Vec<_>>(),
        [0, 0, 1, 1]
    );
}

/// How many steps it takes to read and count one thread and one message of a channel.
fn steps_of_a_thread(messages: i64) -> Vec<(i32, usize)> {
    let stored = stored();
    let mut import = stored.store.import("W1", 1).unwrap();
    let key = |second: i64| TsKey::from_database(second * 1_000_000);
    for second in 1..=messages {
        let message = MessageRecord {
            channel_id: "C1".into(),
            ts: key(second),
            user_id: "U1".into(),
            author_name: None,
            is_bot: false,
            text: "text".into(),
            thread_ts: (second == 5).then(|| key(2)),
            edited_at: None,
        };
        import.message(&message).unwrap();
    }
    import.commit().unwrap();
    stored.store.pool.with_writer(|connection| {
        let (thread, until) = (2_000_000_i64, messages * 1_000_000);
        let recount = &statement("recount_thread");
        let backlog = &statement("backlog_of_thread");
        let newest = &statement("newest_in_thread");
        let read = &statement("messages");
        vec![
            count(connection, recount, params![1, thread]),
            count(connection, backlog, params![1, thread, until]),
            count(connection, newest, params![1, thread, until]),
            count(
                connection,
                read,
                params![1, 0, until, 1, 0, thread, 0, 0, 1000, false],
            ),
        ]
    })
}

#[test]
fn thread_costs_the_same_in_a_small_and_a_large_channel() {
    assert_eq!(steps_of_a_thread(10), steps_of_a_thread(5_000));
}

/// How many steps it takes to find unanswered conversations, with this number of older messages.
fn steps_of_unanswered(messages: i64) -> [(i32, usize); 2] {
    let stored = stored();
    let mut import = stored.store.import("W1", 1).unwrap();
    for second in (1..=messages).chain(1_000_000..1_000_010) {
        let message = MessageRecord {
            ts: TsKey::first_of(second),
            thread_ts: (second % 3 == 0).then(|| TsKey::first_of(second - 1)),
            ..super::record("1.0", None, "text")
        };
        import.message(&message).unwrap();
    }
    import.commit().unwrap();
    stored.store.pool.with_writer(|connection| {
        let recent = TsKey::first_of(1_000_000).to_database();
        let unanswered = &statement("unanswered");
        let threads = &statement("recent_threads");
        [
            count(connection, unanswered, params![1, recent, i64::MAX]),
            count(connection, threads, params![1, recent]),
        ]
    })
}

#[test]
fn finding_what_is_unanswered_costs_what_is_recent_and_not_what_is_stored() {
    let few = steps_of_unanswered(10);
    assert_eq!(few, steps_of_unanswered(5_000));
    assert!(few.iter().all(|(_, found)| *found > 0), "{few:?}");
}
