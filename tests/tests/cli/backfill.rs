//! `myao backfill` with the extractive engine.

use std::fmt::Write as _;

use myao_sqlite::lock::{Work, lock};
use myao_tests::export::{post, program_with, time, write_export};
use myao_tests::program::Program;
use myao_tests::read_project_file;
use serde_json::{Value, json};

/// The week of the demo's export, and some hours.
const END: &str = "2026-03-07T00:00:00Z";
/// A shorter time, for what needs no whole week.
const TUESDAY: &str = "2026-03-03T12:00:00Z";

fn backfill(program: &Program, until: &str) -> Value {
    program
        .run(&["--json", "backfill", "--until", until])
        .json()
}

/// All memories without their texts: one line each.
fn summary(program: &Program) -> String {
    let mut summary = String::new();
    let mut add = |memory: &Value| {
        let text = |key: &str| memory[key].as_str().unwrap().to_owned();
        writeln!(
            summary,
            "{} {} {} v{} of {}, {} messages, {}",
            text("scope"),
            text("scope_id"),
            text("memory_type"),
            memory["version"],
            text("updated_at"),
            memory["source_message_count"],
            text("engine"),
        )
        .unwrap();
    };
    for memory in program
        .run(&["--json", "memory", "list"])
        .json()
        .as_array()
        .unwrap()
    {
        let versioned = (&memory["scope"], &memory["memory_type"]);
        if versioned == (&json!("channel"), &json!("short-term")) {
            let channel = memory["scope_id"].as_str().unwrap();
            let history = program
                .run(&["--json", "memory", "history", channel])
                .json();
            history.as_array().unwrap().iter().for_each(&mut add);
        } else {
            add(memory);
        }
    }
    summary
}

#[test]
fn of_two_backfills_at_once_the_second_says_who_works() {
    let program = Program::with_demo();
    let held = lock(program.path("myao.db"), "default", Work::Backfill).unwrap();
    let backfill = ["backfill", "--until", TUESDAY];
    let words = [
        "myao.db",
        "another backfill or rebuild (process ",
        "wait until",
    ];
    program.run(&backfill).is_refused_with(&words);
    program.run(&["rebuild"]).is_refused_with(&words);
    drop(held);
    program.run(&backfill).succeeded();
}

#[test]
fn the_demo_makes_the_memories_of_a_running_bot() {
    let program = Program::with_demo();
    backfill(&program, END);
    let expected = read_project_file("tests/fixtures/demo-memories.txt");
    assert_eq!(
        summary(&program),
        expected,
        "tests/fixtures/demo-memories.txt"
    );
}

#[test]
fn a_second_backfill_changes_nothing() {
    let program = Program::with_demo();
    let first = backfill(&program, TUESDAY);
    assert_ne!(first["made"], json!([]));
    let before = program.memories();
    let second = backfill(&program, TUESDAY);
    assert_eq!(
        (&second["made"], &second["failed"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(program.memories(), before);
}

#[test]
fn stopped_and_continued_it_makes_the_same_as_in_one_go() {
    let at_once = Program::with_demo();
    let whole = backfill(&at_once, TUESDAY);
    let in_parts = Program::with_demo();
    let mut made = 0;
    // On a tick, between two, and where nothing happens.
    for until in [
        "2026-03-02T03:00:00Z",
        "2026-03-02T06:31:17Z",
        "2026-03-02T20:00:00Z",
        TUESDAY,
    ] {
        made += backfill(&in_parts, until)["made"].as_array().unwrap().len();
    }
    assert_eq!(made, whole["made"].as_array().unwrap().len());
    assert_eq!(in_parts.memories(), at_once.memories());
}

#[test]
fn every_short_term_version_is_merged_once_and_in_order() {
    let program = Program::with_demo();
    let made = backfill(&program, TUESDAY)["made"].clone();
    let of = |scope_id: &str, memory_type: &str| -> Vec<Value> {
        let made = made.as_array().unwrap().iter();
        made.filter(|memory| {
            memory["scope_id"] == *scope_id && memory["memory_type"] == *memory_type
        })
        .cloned()
        .collect()
    };
    for channel in ["C07GENERAL1", "C07HARBOUR1"] {
        let versions: Vec<u64> = of(channel, "short-term")
            .iter()
            .filter_map(|memory| memory["version"].as_u64())
            .collect();
        assert_eq!(
            versions,
            (1..=versions.len() as u64).collect::<Vec<_>>(),
            "{channel}"
        );
        assert_eq!(of(channel, "long-term").len(), versions.len(), "{channel}");
    }
}

#[test]
fn how_many_channels_run_side_by_side_makes_no_difference() {
    let side_by_side = Program::with_demo();
    backfill(&side_by_side, TUESDAY);
    let one_by_one = Program::with_demo();
    one_by_one.write("myao.yaml", "memory: { channels_in_flight: 1 }\n");
    backfill(&one_by_one, TUESDAY);
    assert_eq!(one_by_one.memories(), side_by_side.memories());
}

#[test]
fn times_are_told_in_the_configured_time_zone() {
    let program = Program::with_demo();
    program.write("myao.yaml", "timezone: Asia/Tokyo\n");
    let report = backfill(&program, "2026-03-02T03:00:00Z");
    assert_eq!(report["first_tick"], json!("2026-03-02T10:00:00+09:00"));
    assert_eq!(report["last_tick"], json!("2026-03-02T12:00:00+09:00"));
}

#[test]
fn without_messages_there_is_nothing_to_do() {
    let program = Program::default();
    program.write("export/users.json", "[]");
    program.write("export/channels.json", "[]");
    program.run(&["import", "export"]).succeeded();
    let output = program.run(&["backfill"]).output();
    assert_eq!(
        output,
        "Nothing to do: there are no messages of which no memory was made yet.\n"
    );
    assert_eq!(
        program.run(&["--json", "backfill"]).json(),
        json!({ "first_tick": null, "last_tick": null, "made": [], "failed": [], "deferred": [] })
    );
}

#[test]
fn the_report_for_people_tallies_and_names_the_next_step() {
    let program = Program::with_demo();
    let output = program
        .run(&["backfill", "--until", "2026-03-02T03:00:00Z"])
        .output();
    let lines: Vec<&str> = output.lines().collect();
    assert!(
        lines[0].starts_with("From 2026-03-02 01:00 to 2026-03-02 03:00: made "),
        "{output}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.ends_with(" channel short-term")),
        "{output}"
    );
    assert_eq!(
        lines.last(),
        Some(&"Next: myao --config myao.yaml memory list")
    );
}

#[test]
fn a_finished_backfill_has_nothing_to_do_however_often_it_is_asked() {
    let program = program_with("", &[post("general", 0, "ann", "We ship on 4 March.")]);
    program.run(&["backfill"]).succeeded();
    for _ in 0..2 {
        let told = program.run(&["backfill"]).output();
        assert!(told.starts_with("Nothing to do"), "{told}");
    }
}

/// A day, in minutes.
const DAY: i64 = 24 * 60;

#[test]
fn a_backfill_takes_in_what_is_older_than_the_first_memory() {
    let posts = [
        post("general", 0, "ann", "We ship on 4 March."),
        post("general", 5, "ben", "The budget is 45,000 yen."),
        post("general", 5 * DAY, "ann", "We shipped at 14:00."),
    ];
    let program = program_with("", &posts);
    let now = time(5 * DAY + 200);
    let told = program.run(&["generate", "--now", &now]).output();
    assert!(
        told.contains("older messages of which nothing is remembered"),
        "{told}"
    );
    let again = program.run(&["generate", "--now", &now]).output();
    assert!(
        again.contains("older messages of which nothing is remembered"),
        "{again}"
    );
    let told = program.run(&["backfill", "--until", &now]).output();
    assert!(told.starts_with("From 2026-03-02"), "{told}");
    let shown = program.run(&["memory", "show", "general"]).output();
    assert!(shown.contains("45,000 yen"), "{shown}");
    let told = program.run(&["backfill", "--until", &now]).output();
    assert!(told.starts_with("Nothing to do"), "{told}");
    let told = program.run(&["generate", "--now", &now]).output();
    assert!(!told.contains("nothing is remembered"), "{told}");
}

#[test]
fn an_import_of_older_days_comes_into_the_next_memory() {
    let program = program_with(
        "",
        &[post("general", 5 * DAY, "ann", "We shipped at 14:00.")],
    );
    program.run(&["backfill"]).succeeded();
    let older = [
        post("general", 0, "ann", "We ship on 4 March."),
        post("other", 0, "ben", "The budget is 45,000 yen."),
    ];
    write_export(&program, &older);
    program.run(&["import", "export"]).succeeded();
    let told = program.run(&["backfill"]).output();
    assert!(told.starts_with("From 2026-03-02"), "of #other: {told}");
    let shown = program.run(&["memory", "show", "general"]).output();
    assert!(shown.contains("We ship on 4 March"), "{shown}");
    let told = program.run(&["backfill"]).output();
    assert!(told.starts_with("Nothing to do"), "{told}");
}
