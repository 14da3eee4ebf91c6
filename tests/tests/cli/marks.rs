//! `myao pin` and `myao correct`: what the operator marks.

use myao_tests::program::{Program, demo_export};
use rusqlite::Connection;
use serde_json::Value;

const GENERAL: &str = "C07GENERAL1";

fn imported() -> Program {
    let program = Program::default();
    program.run(&["import", &demo_export()]).succeeded();
    program
}

/// The id of the oldest message of the channel that people can read.
fn oldest(program: &Program) -> String {
    let database = Connection::open(program.path("myao.db")).unwrap();
    let sql = "SELECT m.ts_key FROM messages AS m JOIN channels AS c ON c.key = m.channel \
         WHERE c.id = ?1 AND m.deleted_at IS NULL ORDER BY m.ts_key LIMIT 1";
    let key: i64 = database
        .query_row(sql, [GENERAL], |row| row.get(0))
        .unwrap();
    format!("{}.{:06}", key / 1_000_000, key % 1_000_000)
}

fn pinned(program: &Program) -> i64 {
    let database = Connection::open(program.path("myao.db")).unwrap();
    let sql = "SELECT COUNT(*) FROM message_pins WHERE is_pinned = 1";
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_message_is_pinned_until_the_pin_is_taken_off() {
    let program = imported();
    let message = format!("{GENERAL}:{}", oldest(&program));
    let done = program.run(&["pin", &message]).output();
    assert!(done.starts_with("Pinned: message "), "{done}");
    assert_eq!(pinned(&program), 1);
    program.run(&["pin", &message, "--undo"]).succeeded();
    assert_eq!(pinned(&program), 0);
    let unknown = format!("{GENERAL}:1709287200.000100");
    let refused = program.run(&["pin", &unknown]);
    refused.is_refused_with(&["is not stored"]);
}

#[test]
fn a_correction_is_a_message_of_the_operator_that_can_be_forgotten() {
    let program = imported();
    let text = "the harbour badge code is 8812";
    let done = program.run(&["--json", "correct", "--in", "general", text]);
    let stored: Value = done.json();
    assert_eq!(stored["channel_id"], GENERAL);
    let count = || -> i64 {
        let database = Connection::open(program.path("myao.db")).unwrap();
        let sql = "SELECT COUNT(*) FROM messages WHERE may_mark = 1 AND text = ?1 AND user_id = 'operator'";
        let said = format!("@myao correction: {text}");
        database.query_row(sql, [said], |row| row.get(0)).unwrap()
    };
    assert_eq!(count(), 1);
    let message = format!("{GENERAL}:{}", stored["ts"].as_str().unwrap());
    program.run(&["forget", "--message", &message]).succeeded();
    assert_eq!(count(), 0);
}

#[test]
fn a_correction_strikes_what_is_likely_with_yes_and_nothing_without_a_terminal() {
    let program = imported();
    program.run(&["backfill"]).succeeded();
    let show = || program.run(&["memory", "show", "project-harbour"]).output();
    let line = "2026-03-04 ben: Decision: roll back to v2.3.6, fix properly tomorrow (2026-03-05).";
    assert!(show().contains(&format!("- {line}")), "{}", show());
    let correct = [
        "correct",
        "--in",
        "project-harbour",
        "Decision: roll back to v2.3.5",
    ];
    let said = program.run(&correct).output();
    assert!(
        said.contains("[x] ") && said.contains("roll back to v2.3.6"),
        "{said}"
    );
    assert!(said.contains("Nothing is picked"), "{said}");
    assert!(said.contains("It strikes 0 messages."), "{said}");
    let shown = show();
    assert!(!shown.contains("~~"), "{shown}");
    assert!(shown.contains("corrected by operator, "), "{shown}");
    let yes = [&["--json"], &correct[..], &["--yes"]].concat();
    let stored: Value = program.run(&yes).json();
    let likely = stored["strikable"].as_array().unwrap().iter();
    let likely = likely.filter(|of| of["is_likely"] == true);
    let likely: Value = likely.map(|of| of["ts"].clone()).collect();
    assert_eq!(stored["struck"], likely);
    let shown = show();
    assert!(shown.contains(&format!("- ~~{line}~~")), "{shown}");
    let shown = program.run(&["--json", "memory", "show", "project-harbour"]);
    let shown: Value = shown.json();
    assert_eq!(shown[0]["corrections"][1]["ts"], stored["ts"]);
    let message = format!("C07HARBOUR1:{}", stored["ts"].as_str().unwrap());
    program.run(&["forget", "--message", &message]).succeeded();
    assert!(!show().contains("~~"), "{}", show());
}
