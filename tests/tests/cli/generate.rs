//! `myao generate` with the extractive engine.

use myao_tests::export::{Post, post, program_with, time, ts};
use serde_json::{Value, json};

/// Every thread has a memory.
const THREADS: &str = "memory:\n  thread_memories: always\n";
/// Five hours into the conversations.
const NOON: i64 = 300;

/// A channel with a thread that is over, one that goes on, and one in which nobody said a word.
fn posts() -> Vec<Post> {
    vec![
        post(
            "general",
            0,
            "ann",
            "We release Harbour on 4 March at 14:00.",
        ),
        post("general", 5, "bob", "Agreed: the budget is 45,000 yen."),
        post("general", 7, "bob", "I will write the notes.").in_thread(0),
        post("busy", NOON - 5, "ann", "Lunch is at 12:30 at the pier."),
        post("quiet", 1, "ann", "👍"),
    ]
}

fn entry<'a>(report: &'a Value, scope_id: &str) -> &'a Value {
    let entries = report["entries"].as_array().unwrap();
    entries
        .iter()
        .find(|entry| entry["scope_id"] == *scope_id)
        .unwrap_or(&Value::Null)
}

fn now(minute: i64) -> String {
    format!("--now={}", time(minute))
}

/// That of an extract, for which no model is asked.
fn coverage(messages: u32) -> Value {
    let left_out = json!({ "other_channels": 0, "workspace": 0, "messages": 0, "channel": 0 });
    json!({
        "messages": messages, "covered": messages, "left_out": left_out, "refused": 0,
        "unfounded": 0, "doubtful": 0, "records": 0, "late": 0, "refused_items": 0, "chunks": 1, "calls": 0,
    })
}

#[test]
fn the_report_says_what_was_made_of_what() {
    let program = program_with(THREADS, &posts());
    let report = program.run(&["--json", "generate", &now(NOON)]).json();
    let thread = format!("CGENERAL:{}", ts(0));
    let made = |scope: &str, scope_id: &str, memory_type: &str, messages: u32| {
        json!({
            "scope": scope, "scope_id": scope_id, "memory_type": memory_type, "version": 1,
            "engine": "extractive", "source_message_count": messages,
            "truncated": false, "coverage": coverage(if memory_type == "long-term" { 0 } else { messages }),
        })
    };
    let done = |scope: &str, scope_id: &str, name: &str, made: Value| {
        json!({
            "scope": scope, "scope_id": scope_id, "channel_name": name,
            "outcome": "done", "reason": null, "deferral": null, "made": made,
        })
    };
    let channel = |scope_id: &str, name: &str, messages| {
        let made = |memory_type| made("channel", scope_id, memory_type, messages);
        done(
            "channel",
            scope_id,
            name,
            json!([made("short-term"), made("long-term")]),
        )
    };
    let quiet = json!({
        "scope": "channel", "scope_id": "CQUIET", "channel_name": "quiet",
        "outcome": "skipped", "reason": "nothing_to_summarize", "deferral": null, "made": [],
    });
    assert_eq!(
        report,
        json!({
            "now": time(NOON),
            "entries": [
                done("thread", &thread, "general", json!([made("thread", &thread, "short-term", 2)])),
                channel("CBUSY", "busy", 1),
                channel("CGENERAL", "general", 3),
                quiet,
                done("workspace", "default", "", json!([made("workspace", "default", "long-term", 4)])),
            ],
        })
    );
}

#[test]
fn a_second_run_at_the_same_time_makes_nothing() {
    let program = program_with(THREADS, &posts());
    program.run(&["generate", &now(NOON)]).succeeded();
    let before = program.memories();
    let report = program.run(&["--json", "generate", &now(NOON)]).json();
    let made: Vec<&Value> = report["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| &entry["made"])
        .collect();
    assert!(made.iter().all(|made| **made == json!([])), "{report:#}");
    assert_eq!(entry(&report, "default")["reason"], json!("unchanged"));
    assert_eq!(program.memories(), before);
}

#[test]
fn a_conversation_that_goes_on_waits_until_it_is_over() {
    let mut posts = posts();
    let program = program_with("", &posts);
    program.run(&["generate", &now(NOON)]).succeeded();
    posts.push(post("general", NOON + 10, "ann", "The venue is Hakone."));
    myao_tests::export::write_export(&program, &posts);
    program.run(&["import", "export"]).succeeded();

    // Idle after two hours.
    let waiting = program
        .run(&["--json", "generate", &now(NOON + 129)])
        .json();
    let general = entry(&waiting, "CGENERAL");
    assert_eq!(general["reason"], json!("not_due"), "{waiting:#}");
    assert_eq!(general["made"], json!([]));
    let over = program
        .run(&["--json", "generate", &now(NOON + 130)])
        .json();
    assert_eq!(
        entry(&over, "CGENERAL")["made"][0]["version"],
        json!(2),
        "{over:#}"
    );
}

#[test]
fn messages_before_the_window_are_left_to_backfill() {
    let program = program_with(THREADS, &posts());
    let report = program
        .run(&["--json", "generate", &now(NOON + 24 * 60)])
        .json();
    assert!(
        report["entries"]
            .as_array()
            .unwrap()
            .iter()
            .all(|e| e["made"] == json!([])),
        "{report:#}"
    );
}

#[test]
fn messages_after_the_given_time_are_not_seen() {
    let program = program_with(THREADS, &posts());
    let report = program.run(&["--json", "generate", &now(3)]).json();
    assert_eq!(
        entry(&report, "CGENERAL")["made"][0]["source_message_count"],
        json!(1)
    );
    assert_eq!(entry(&report, "CBUSY"), &Value::Null);
}

#[test]
fn switched_off_history_keeps_one_version() {
    let mut posts = posts();
    let config = "memory: { short_term_history: { enabled: false } }\n";
    let program = program_with(config, &posts);
    program.run(&["generate", &now(NOON)]).succeeded();
    posts.push(post("general", NOON + 1, "ann", "The venue is Hakone."));
    myao_tests::export::write_export(&program, &posts);
    program.run(&["import", "export"]).succeeded();
    program.run(&["generate", &now(NOON + 2)]).succeeded();
    let history = program
        .run(&["--json", "memory", "history", "general"])
        .json();
    let history = history.as_array().unwrap();
    assert_eq!((history.len(), &history[0]["version"]), (1, &json!(1)));
    assert!(
        history[0]["content"].as_str().unwrap().contains("Hakone"),
        "{history:#?}"
    );
}

#[test]
fn the_report_for_people_lists_what_was_made_and_why_not() {
    let program = program_with(THREADS, &posts());
    let output = program.run(&["generate", &now(NOON)]).output();
    assert!(
        output.starts_with("2026-03-02 05:00: made 6 memories\n"),
        "{output}"
    );
    let line = |words: &[&str]| {
        output
            .lines()
            .any(|line| line.split_whitespace().eq(words.iter().copied()))
    };
    assert!(
        line(&["#busy", "short-term", "1", "1", "extractive"]),
        "{output}"
    );
    assert!(
        line(&[
            "#general,",
            "thread",
            &ts(0),
            "short-term",
            "1",
            "2",
            "extractive"
        ]),
        "{output}"
    );
    assert!(
        line(&["the", "workspace", "long-term", "1", "4", "extractive"]),
        "{output}"
    );
    assert!(
        line(&["skipped", "1:", "nothing", "to", "summarise"]),
        "{output}"
    );
}

#[test]
fn the_retired_workspace_short_term_memory_is_made_where_it_is_asked_for() {
    for (config, arguments) in [
        ("", &["--legacy-workspace-short-term"][..]),
        ("memory: { legacy_workspace_short_term: true }\n", &[]),
    ] {
        let program = program_with(config, &posts());
        program
            .run(&[arguments, &["generate", &now(NOON)]].concat())
            .succeeded();
        let output = program
            .run(&[arguments, &["memory", "show", "default"]].concat())
            .output();
        assert!(
            output.contains("## workspace short-term, version 1\n"),
            "{output}"
        );
    }
    let program = program_with(THREADS, &posts());
    program.run(&["generate", &now(NOON)]).succeeded();
    assert!(!program.memories().contains("Workspace default ShortTerm"));
}

#[test]
fn a_conversation_that_goes_on_is_skipped_and_said_so() {
    let program = program_with(THREADS, &posts());
    program.run(&["generate", &now(6)]).succeeded();
    let report = program.run(&["--json", "generate", &now(8)]).json();
    assert_eq!(
        entry(&report, "CGENERAL"),
        &json!({
            "scope": "channel", "scope_id": "CGENERAL", "channel_name": "general",
            "outcome": "skipped", "reason": "not_due", "deferral": null, "made": [],
        })
    );
    let told = program.run(&["generate", &now(8)]).output();
    assert!(
        told.contains("skipped 1: the conversation goes on"),
        "{told}"
    );
}

#[test]
fn a_run_that_finds_only_old_messages_points_to_the_backfill() {
    let program = program_with(THREADS, &posts());
    let told = program
        .run(&["generate", &now(NOON + 10 * 24 * 60)])
        .output();
    assert!(told.contains("made 0 memories"), "{told}");
    assert!(
        told.contains("`myao --config myao.yaml backfill` takes them in"),
        "{told}"
    );
    let told = program.run(&["generate", &now(NOON)]).output();
    assert!(!told.contains("backfill"), "{told}");
}
