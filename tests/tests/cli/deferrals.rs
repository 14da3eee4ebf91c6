//! What commands print if a model fails: deferrals, stand-ins, what was cut off or made in parts.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use myao_tests::export::{Post, post, program_with, time, write_export};
use myao_tests::llm_server::{LlmServer, Reply, answer, cut_off, error};
use myao_tests::program::Program;
use serde_json::{Value, json};

const RETRY: &str =
    "Next: `myao --config myao.yaml generate --retry` retries deferred memories at once.\n";

fn first() -> Post {
    post(
        "general",
        0,
        "ann",
        "We release Harbour on 4 March at 14:00.",
    )
}

/// A server that answers with `reply` until the switch is off, and then with a memory.
fn failing_with(reply: Reply) -> (LlmServer, Arc<AtomicBool>) {
    let switch = Arc::new(AtomicBool::new(true));
    let on = switch.clone();
    let server = LlmServer::start(move |call| {
        if on.load(Ordering::SeqCst) {
            return reply.clone();
        }
        let budget = if call.prompt().contains("45,000") {
            "\n- Friday decides on a budget of 45,000 yen"
        } else {
            ""
        };
        answer(&format!("- Harbour goes out on 4 March at 14:00{budget}"))
    });
    (server, switch)
}

/// A program whose first run, at minute 180, failed for good.
fn deferred() -> (Program, LlmServer, Arc<AtomicBool>) {
    let (server, switch) = failing_with(answer(""));
    let config = server.config() + "timezone: Asia/Tokyo\n";
    let program = program_with(&config, &[first()]);
    let ran = program.run(&["generate", "--now", &time(180)]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{ran:#?}");
    assert!(
        ran.stdout
            .contains("failed: #general: the model answered with nothing"),
        "{ran:#?}"
    );
    (program, server, switch)
}

fn entry<'a>(report: &'a Value, scope_id: &str) -> &'a Value {
    let entries = report["entries"].as_array().unwrap();
    let found = entries.iter().find(|entry| entry["scope_id"] == *scope_id);
    found.unwrap_or_else(|| panic!("no {scope_id} in {report:#}"))
}

#[test]
fn what_failed_for_good_is_deferred_and_until_when_is_printed() {
    let (program, server, _) = deferred();
    let calls = server.calls().len();
    let now = time(190);
    let report = program.run(&["--json", "generate", "--now", &now]).json();
    let general = entry(&report, "CGENERAL");
    assert_eq!(
        (&general["outcome"], &general["reason"]),
        (&json!("deferred"), &json!("the answer was empty"))
    );
    assert_eq!(
        general["deferral"],
        json!({
            "memory_type": "short-term", "until": "2026-03-02T13:00:00+09:00",
            "failures": 1, "reason": "the answer was empty",
        })
    );
    let line = "deferred: #general short-term: failed 1 time (the answer was empty); \
         tried again from 2026-03-02 13:00 on\n";
    let told = line.to_owned() + RETRY;
    let output = program.run(&["generate", "--now", &now]).output();
    assert!(output.contains(&told), "{output}");
    let listed = program.run(&["memory", "list"]).output();
    assert!(listed.ends_with(&told), "{listed}");
    assert_eq!(server.calls().len(), calls, "nobody asked again");
}

#[test]
fn what_is_deferred_is_retried_at_once_on_request() {
    let retry: &[&str] = &["generate", "--retry", "--now", &time(190)];
    let backfill: &[&str] = &["backfill", "--until", &time(190)];
    for command in [retry, backfill] {
        let (program, _server, switch) = deferred();
        switch.store(false, Ordering::SeqCst);
        let output = program.run(command).output();
        assert!(!output.contains("deferred"), "{output}");
        let listed = program.run(&["memory", "list"]).output();
        assert!(
            listed.contains("4 March") && !listed.contains("deferred"),
            "{listed}"
        );
    }
}

#[test]
fn a_retry_that_fails_is_deferred_again() {
    let (program, server, _) = deferred();
    let calls = server.calls().len();
    let ran = program.run(&["generate", "--retry", "--now", &time(190)]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(server.calls().len() > calls);
    let listed = program.run(&["memory", "list"]).output();
    let again = "failed 1 time (the answer was empty); tried again from 2026-03-02 13:10 on\n";
    assert!(listed.contains(again), "{listed}");
}

#[test]
fn a_channel_whose_model_was_away_on_its_first_day_gets_that_day_with_the_next_version() {
    const DAY: i64 = 24 * 60;
    let (server, switch) = failing_with(error(503, "down"));
    let program = program_with(&server.config(), &[first()]);
    let ran = program.run(&["generate", "--now", &time(180)]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    switch.store(false, Ordering::SeqCst);
    let second = post(
        "general",
        3 * DAY,
        "bob",
        "The budget is 45,000 yen, decided by Friday.",
    );
    write_export(&program, &[first(), second]);
    program.run(&["import", "export"]).succeeded();
    let now = time(3 * DAY + 200);
    let report = program.run(&["--json", "generate", "--now", &now]).json();
    let version = &entry(&report, "CGENERAL")["made"][0];
    assert_eq!(
        (&version["version"], &version["source_message_count"]),
        (&json!(1), &json!(2)),
        "{report:#}"
    );
    let told = program.run(&["backfill", "--until", &now]).output();
    assert!(told.starts_with("Nothing to do"), "{told}");
}

#[test]
fn stand_ins_are_marked_until_the_model_is_back() {
    let (server, switch) = failing_with(error(500, "down"));
    switch.store(false, Ordering::SeqCst);
    let config = server.config() + "memory: { extractive_stand_in: true }\n";
    let program = program_with(&config, &[first()]);
    program.run(&["generate", "--now", &time(180)]).succeeded();
    let second = post(
        "general",
        200,
        "bob",
        "The budget is 45,000 yen, decided by Friday.",
    );
    write_export(&program, &[first(), second]);
    program.run(&["import", "export"]).succeeded();
    switch.store(true, Ordering::SeqCst);
    let ran = program.run(&["--json", "generate", "--now", &time(400)]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let made = &entry(&report, "CGENERAL")["made"][0];
    assert_eq!(
        (&made["version"], &made["engine"]),
        (&json!(0), &json!("extractive")),
        "{report:#}"
    );

    let list = program.run(&["memory", "list"]).output();
    let rows: Vec<&str> = list
        .lines()
        .filter(|line| line.contains("short-term"))
        .collect();
    let [version, stand_in] = rows.as_slice() else {
        panic!("{list}")
    };
    assert!(
        version.contains(" version 1,") && stand_in.contains(" excerpt for now,"),
        "{list}"
    );
    let show = program.run(&["memory", "show", "general"]).output();
    let headings: Vec<&str> = show
        .lines()
        .filter(|line| line.starts_with("## "))
        .collect();
    assert_eq!(
        headings,
        [
            "## #general long-term, version 1",
            "## #general short-term, version 1",
            "## #general short-term, excerpt for now",
        ]
    );
    assert!(show.contains("\nextracted while the model fails"), "{show}");
    let history = program
        .run(&["--json", "memory", "history", "general"])
        .json();
    let numbers: Vec<(&Value, &Value)> = history
        .as_array()
        .unwrap()
        .iter()
        .map(|text| (&text["number"], &text["stand_in"]))
        .collect();
    assert_eq!(
        numbers,
        [(&json!(1), &json!(false)), (&json!(0), &json!(true))]
    );
    let history = program.run(&["memory", "history", "general"]).output();
    assert!(
        history.contains("## excerpt for now, made 2026-03-02 06:40"),
        "{history}"
    );
    let diff = program.run(&["memory", "diff", "general"]).output();
    let head = "--- version 1\n+++ excerpt for now\n";
    assert!(
        diff.starts_with(head) && diff.contains("45,000 yen"),
        "{diff}"
    );

    switch.store(false, Ordering::SeqCst);
    program.run(&["generate", "--now", &time(401)]).succeeded();
    let list = program.run(&["memory", "list"]).output();
    assert!(!list.contains("excerpt for now"), "{list}");
}

#[test]
fn an_answer_that_was_cut_off_is_marked() {
    let server = LlmServer::start(|_| {
        cut_off("- Harbour is released on 4 March\n- The release is at 14:00\n- It is rea")
    });
    let program = program_with(&server.config(), &[first()]);
    let output = program.run(&["generate", "--now", &time(180)]).output();
    let note = "note: #general short-term, version 1: cut off at its token limit\n";
    assert!(output.contains(note), "{output}");
    let list = program.run(&["memory", "list"]).output();
    assert!(list.contains("\n(cut off at its token limit)\n"), "{list}");
    for command in ["show", "history"] {
        let told = program.run(&["memory", command, "general"]).output();
        assert!(told.contains("\n(cut off at its token limit)\n"), "{told}");
    }
    let shown = program.run(&["--json", "memory", "show", "general"]).json();
    assert_eq!(shown[1]["truncated"], json!(true), "{shown:#}");
}

#[test]
fn a_memory_that_was_made_in_parts_says_so() {
    let server = LlmServer::start(|_| answer("- The crane is repaired in March"));
    let config = server.config_with("context_window: 4000");
    let text = "The crane of the harbour is repaired in March, as the office told us. ".repeat(6);
    let posts: Vec<Post> = (0..100).map(|n| post("general", n, "ann", &text)).collect();
    let program = program_with(&config, &posts);
    let report = program
        .run(&["--json", "generate", "--now", &time(180)])
        .json();
    let made = &entry(&report, "CGENERAL")["made"][0];
    let coverage = &made["coverage"];
    assert_eq!(
        (&coverage["messages"], &coverage["covered"]),
        (&json!(100), &json!(100))
    );
    let (chunks, calls) = (&coverage["chunks"], &coverage["calls"]);
    assert!(
        chunks.as_u64() > Some(1) && calls.as_u64() > chunks.as_u64(),
        "{coverage}"
    );
    let shown = program.run(&["--json", "memory", "show", "general"]).json();
    assert_eq!(shown[1]["coverage"], *coverage);
    let told = program.run(&["memory", "show", "general"]).output();
    let remark = format!("\n(made in {chunks} parts with {calls} calls)\n");
    assert!(told.contains(&remark), "{told}");
    // The same of a summary that is only printed.
    let summarize = [
        "summarize",
        "--scope=channel",
        "--memory-type=short-term",
        "--channel=general",
        "--now",
        &time(180),
    ];
    let ran = program.run(&summarize);
    let summary = program.run(&[&["--json"], &summarize[..]].concat()).json();
    let chunks = &summary["coverage"]["chunks"];
    assert!(chunks.as_u64() > Some(1), "{summary:#}");
    let remark = format!("myao: made in {chunks} parts with ");
    assert!(ran.stderr.starts_with(&remark), "{ran:#?}");
}

/// A year later the model would have been asked some 350 times more.
#[test]
fn a_backfill_asks_for_what_fails_while_conversations_go_on_and_not_for_ever_after() {
    let server = LlmServer::start(|_| answer(""));
    let program = program_with(&server.config(), &[first()]);
    let until = time(365 * 24 * 60);
    let ran = program.run(&["backfill", "--keep-going", "--until", &until]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), ""), "{ran:#?}");
    assert_eq!(
        ran.stdout.matches("failed: #general").count(),
        1,
        "{ran:#?}"
    );
    let calls = server.calls().len();
    // From the second failure on, it is looked for what the model does not answer to.
    assert!((2..=12).contains(&calls), "{calls} calls");
}
