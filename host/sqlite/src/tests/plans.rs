//! Which rows the statements visit.

use myao_plugin::storage::records::{ImportSink, MessageRecord};
use myao_plugin::ts::TsKey;
use rusqlite::{Connection, StatementStatus, ToSql, params};

use super::{recount_all, stored};

const STATEMENTS: [(&str, &str); 102] = [
    (
        "neighbours",
        include_str!("../../../sql/src/sql/neighbours.sql"),
    ),
    (
        "found_messages",
        include_str!("../../../sql/src/sql/found_messages.sql"),
    ),
    (
        "visible_channels",
        include_str!("../../../sql/src/sql/visible_channels.sql"),
    ),
    (
        "recount_channel",
        include_str!("../../../sql/src/sql/recount_channel.sql"),
    ),
    (
        "recount_thread",
        include_str!("../../../sql/src/sql/recount_thread.sql"),
    ),
    (
        "merge_imported_channel",
        include_str!("../../../sql/src/sql/merge_imported_channel.sql"),
    ),
    (
        "newest_in_thread",
        include_str!("../../../sql/src/sql/newest_in_thread.sql"),
    ),
    (
        "messages",
        include_str!("../../../sql/src/sql/messages.sql"),
    ),
    (
        "has_version",
        include_str!("../../../sql/src/sql/has_version.sql"),
    ),
    (
        "insert_message",
        include_str!("../../../sql/src/sql/insert_message.sql"),
    ),
    (
        "await_second_version",
        include_str!("../../../sql/src/sql/await_second_version.sql"),
    ),
    (
        "settle_messages",
        include_str!("../../../sql/src/sql/settle_messages.sql"),
    ),
    (
        "give_back",
        include_str!("../../../sql/src/sql/give_back.sql"),
    ),
    (
        "take_in_history",
        include_str!("../../../sql/src/sql/take_in_history.sql"),
    ),
    (
        "memories_of_channels",
        include_str!("../../../sql/src/sql/memories_of_channels.sql"),
    ),
    (
        "memories_of_threads",
        include_str!("../../../sql/src/sql/memories_of_threads.sql"),
    ),
    (
        "memories_of_workspace",
        include_str!("../../../sql/src/sql/memories_of_workspace.sql"),
    ),
    (
        "due_channels",
        include_str!("../../../sql/src/sql/due_channels.sql"),
    ),
    (
        "due_threads",
        include_str!("../../../sql/src/sql/due_threads.sql"),
    ),
    (
        "due_workspace",
        include_str!("../../../sql/src/sql/due_workspace.sql"),
    ),
    (
        "backlog_of_channel",
        include_str!("../../../sql/src/sql/backlog_of_channel.sql"),
    ),
    (
        "backlog_of_thread",
        include_str!("../../../sql/src/sql/backlog_of_thread.sql"),
    ),
    (
        "next_message",
        include_str!("../../../sql/src/sql/next_message.sql"),
    ),
    (
        "newest_memory",
        include_str!("../../../sql/src/sql/newest_memory.sql"),
    ),
    (
        "supersede_stand_in",
        include_str!("../../../sql/src/sql/supersede_stand_in.sql"),
    ),
    (
        "first_created",
        include_str!("../../../sql/src/sql/first_created.sql"),
    ),
    (
        "deferrals",
        include_str!("../../../sql/src/sql/deferrals.sql"),
    ),
    (
        "set_deferral",
        include_str!("../../../sql/src/sql/set_deferral.sql"),
    ),
    (
        "end_deferral",
        include_str!("../../../sql/src/sql/end_deferral.sql"),
    ),
    (
        "clear_deferrals",
        include_str!("../../../sql/src/sql/clear_deferrals.sql"),
    ),
    (
        "all_deferrals",
        include_str!("../../../sql/src/sql/all_deferrals.sql"),
    ),
    (
        "newest_in_channel",
        include_str!("../../../sql/src/sql/newest_in_channel.sql"),
    ),
    (
        "waiting_answer",
        include_str!("../../../sql/src/sql/waiting_answer.sql"),
    ),
    (
        "current_text",
        include_str!("../../../sql/src/sql/current_text.sql"),
    ),
    (
        "end_wait",
        include_str!("../../../sql/src/sql/end_wait.sql"),
    ),
    (
        "forget_answers",
        include_str!("../../../sql/src/sql/forget_answers.sql"),
    ),
    ("calls", include_str!("../../../sql/src/sql/calls.sql")),
    (
        "use_of_models",
        include_str!("../../../sql/src/sql/use_of_models.sql"),
    ),
    (
        "calls_of_memory",
        include_str!("../../../sql/src/sql/calls_of_memory.sql"),
    ),
    (
        "recorded_save",
        include_str!("../../../sql/src/sql/recorded_save.sql"),
    ),
    (
        "recording_of_memory",
        include_str!("../../../sql/src/sql/recording_of_memory.sql"),
    ),
    (
        "recorded_calls",
        include_str!("../../../sql/src/sql/recorded_calls.sql"),
    ),
    (
        "input_digest",
        include_str!("../../../sql/src/sql/input_digest.sql"),
    ),
    (
        "unanswered",
        include_str!("../../../sql/src/sql/unanswered.sql"),
    ),
    ("mention", include_str!("../../../sql/src/sql/mention.sql")),
    (
        "answered_of_person",
        include_str!("../../../sql/src/sql/answered_of_person.sql"),
    ),
    (
        "answered_in_channel",
        include_str!("../../../sql/src/sql/answered_in_channel.sql"),
    ),
    (
        "was_notified",
        include_str!("../../../sql/src/sql/was_notified.sql"),
    ),
    (
        "missing_messages",
        include_str!("../../../sql/src/sql/missing_messages.sql"),
    ),
    (
        "ask_again",
        include_str!("../../../sql/src/sql/ask_again.sql"),
    ),
    (
        "recent_threads",
        include_str!("../../../sql/src/sql/recent_threads.sql"),
    ),
    (
        "messages_between",
        include_str!("../../../sql/src/sql/messages_between.sql"),
    ),
    (
        "waiting_events",
        include_str!("../../../sql/src/sql/waiting_events.sql"),
    ),
    (
        "set_aside_events",
        include_str!("../../../sql/src/sql/set_aside_events.sql"),
    ),
    (
        "forget_applied_events",
        include_str!("../../../sql/src/sql/forget_applied_events.sql"),
    ),
    (
        "end_event",
        include_str!("../../../sql/src/sql/end_event.sql"),
    ),
    (
        "event_failures",
        include_str!("../../../sql/src/sql/event_failures.sql"),
    ),
    (
        "waiting_replies",
        include_str!("../../../sql/src/sql/waiting_replies.sql"),
    ),
    ("replies", include_str!("../../../sql/src/sql/replies.sql")),
    (
        "message_row",
        include_str!("../../../sql/src/sql/message_row.sql"),
    ),
    (
        "update_message",
        include_str!("../../../sql/src/sql/update_message.sql"),
    ),
    (
        "thread_state",
        include_str!("../../../sql/src/sql/thread_state.sql"),
    ),
    (
        "has_threads",
        include_str!("../../../sql/src/sql/has_threads.sql"),
    ),
    (
        "end_changed_thread",
        include_str!("../../../sql/src/sql/end_changed_thread.sql"),
    ),
    (
        "take_part",
        include_str!("../../../sql/src/sql/take_part.sql"),
    ),
    (
        "rename_channel",
        include_str!("../../../sql/src/sql/rename_channel.sql"),
    ),
    (
        "set_channel_private",
        include_str!("../../../sql/src/sql/set_channel_private.sql"),
    ),
    (
        "set_channel_present",
        include_str!("../../../sql/src/sql/set_channel_present.sql"),
    ),
    (
        "rename_user",
        include_str!("../../../sql/src/sql/rename_user.sql"),
    ),
    (
        "drop_reply",
        include_str!("../../../sql/src/sql/drop_reply.sql"),
    ),
    ("parts", include_str!("../../../sql/src/sql/parts.sql")),
    (
        "has_deleted_before",
        include_str!("../../../sql/src/sql/has_deleted_before.sql"),
    ),
    (
        "mark_sent",
        include_str!("../../../sql/src/sql/mark_sent.sql"),
    ),
    (
        "has_gone_source",
        include_str!("../../../sql/src/sql/has_gone_source.sql"),
    ),
    (
        "unsent_parts",
        include_str!("../../../sql/src/sql/unsent_parts.sql"),
    ),
    (
        "fail_reply",
        include_str!("../../../sql/src/sql/fail_reply.sql"),
    ),
    (
        "end_reply",
        include_str!("../../../sql/src/sql/end_reply.sql"),
    ),
    (
        "mark_sending",
        include_str!("../../../sql/src/sql/mark_sending.sql"),
    ),
    (
        "judgment",
        include_str!("../../../sql/src/sql/judgment.sql"),
    ),
    (
        "forget_judgments",
        include_str!("../../../sql/src/sql/forget_judgments.sql"),
    ),
    (
        "forget_reply_answers",
        include_str!("../../../sql/src/sql/forget_reply_answers.sql"),
    ),
    (
        "users_of",
        include_str!("../../../sql/src/sql/users_of.sql"),
    ),
    (
        "channel_names",
        include_str!("../../../sql/src/sql/channel_names.sql"),
    ),
    (
        "ask_reply",
        include_str!("../../../sql/src/sql/ask_reply.sql"),
    ),
    (
        "begin_reply",
        include_str!("../../../sql/src/sql/begin_reply.sql"),
    ),
    (
        "oldest_new",
        include_str!("../../../sql/src/sql/oldest_new.sql"),
    ),
    (
        "expect_first_version",
        include_str!("../../../sql/src/sql/expect_first_version.sql"),
    ),
    (
        "insert_handed_messages",
        include_str!("../../../sql/src/sql/insert_handed_messages.sql"),
    ),
    (
        "insert_handed_memories",
        include_str!("../../../sql/src/sql/insert_handed_memories.sql"),
    ),
    (
        "lines_to_erase",
        include_str!("../../../sql/src/sql/lines_to_erase.sql"),
    ),
    (
        "wait_for_imported",
        include_str!("../../../sql/src/sql/wait_for_imported.sql"),
    ),
    (
        "fail_event",
        include_str!("../../../sql/src/sql/fail_event.sql"),
    ),
    (
        "holds_what_is_gone",
        include_str!("../../../sql/src/sql/holds_what_is_gone.sql"),
    ),
    (
        "end_history",
        include_str!("../../../sql/src/sql/end_history.sql"),
    ),
    (
        "newest_message",
        include_str!("../../../sql/src/sql/newest_message.sql"),
    ),
    (
        "waiting_messages",
        include_str!("../../../sql/src/sql/waiting_messages.sql"),
    ),
    (
        "deferred_events",
        include_str!("../../../sql/src/sql/deferred_events.sql"),
    ),
    (
        "deferred_replies",
        include_str!("../../../sql/src/sql/deferred_replies.sql"),
    ),
    (
        "judgments_under_way",
        include_str!("../../../sql/src/sql/judgments_under_way.sql"),
    ),
    (
        "bring_back_changed_threads",
        include_str!("../../../sql/src/sql/bring_back_changed_threads.sql"),
    ),
    (
        "bring_back_memories",
        include_str!("../../../sql/src/sql/bring_back_memories.sql"),
    ),
    (
        "bring_back_connected_through",
        include_str!("../../../sql/src/sql/bring_back_connected_through.sql"),
    ),
];

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
        for (name, sql) in STATEMENTS {
            for step in plan(connection, sql) {
                let scanned = step
                    .strip_prefix("SCAN ")
                    .and_then(|rest| rest.split(' ').next());
                let whole =
                    scanned.is_some_and(|table| TABLES.contains(&table) || table.len() == 1);
                // These are tables that the statement itself has made or contains.
                let marks = matches!(scanned, Some("k" | "s" | "3"));
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
            count(
                connection,
                include_str!("../../../sql/src/sql/due_channels.sql"),
                due,
            ),
            count(
                connection,
                include_str!("../../../sql/src/sql/due_threads.sql"),
                &due[..3],
            ),
            count(
                connection,
                include_str!("../../../sql/src/sql/due_workspace.sql"),
                params![1, "default", 0],
            ),
            count(
                connection,
                include_str!("../../../sql/src/sql/due_workspace.sql"),
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
        let recount = include_str!("../../../sql/src/sql/recount_thread.sql");
        let backlog = include_str!("../../../sql/src/sql/backlog_of_thread.sql");
        let newest = include_str!("../../../sql/src/sql/newest_in_thread.sql");
        let read = include_str!("../../../sql/src/sql/messages.sql");
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
        let unanswered = include_str!("../../../sql/src/sql/unanswered.sql");
        let threads = include_str!("../../../sql/src/sql/recent_threads.sql");
        [
            count(connection, unanswered, params![1, recent, i64::MAX]),
            count(connection, threads, params![1, recent, 100]),
        ]
    })
}

#[test]
fn finding_what_is_unanswered_costs_what_is_recent_and_not_what_is_stored() {
    let few = steps_of_unanswered(10);
    assert_eq!(few, steps_of_unanswered(5_000));
    assert!(few.iter().all(|(_, found)| *found > 0), "{few:?}");
}
