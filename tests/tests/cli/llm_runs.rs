//! Runs with a server that fails in places: the rest goes on, and nothing is lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use myao_tests::export::{Post, post, program_with, time, ts};
use myao_tests::llm_server::{Call, LlmServer, Reply, answer, cut_off, error};
use myao_tests::program::{Program, Ran};
use serde_json::{Value, json};

/// Threads have memories, too.
const THREADS: &str = "memory:\n  thread_memories: always\n";
/// In a prompt that the server refuses.
const POISON: &str = "POISON";
/// How the prompts of each kind ask.
const CHANNEL_MERGE: &str = "## 統合対象: チャンネルの短期記憶";
const WORKSPACE_MERGE: &str = "## 統合対象\n";

fn posts() -> Vec<Post> {
    vec![
        post("alpha", 10, "ann", "We release Harbour on 4 March."),
        post("alpha", 13, "bob", "I will write the notes.").in_thread(10),
        post("broken", 11, "ann", "This is POISON to the model."),
        post("broken", 14, "bob", "And this is its thread, also POISON.").in_thread(11),
        post("gamma", 12, "bob", "The budget is 45,000 yen."),
    ]
}

/// Answers with what the prompt is about, so that each memory shows what it was made of.
fn echo(call: &Call) -> Reply {
    let prompt = call.prompt();
    let kept = prompt
        .lines()
        .filter(|line| line.starts_with("- ") || line.contains("yen"));
    answer(&format!(
        "- memory\n{}",
        kept.collect::<Vec<_>>().join("\n")
    ))
}

/// A server that refuses prompts with `part` in them while the switch is on, and that switch.
fn failing_on(part: &'static str) -> (LlmServer, Arc<AtomicBool>) {
    let switch = Arc::new(AtomicBool::new(true));
    let on = switch.clone();
    let server = LlmServer::start(move |call| {
        if on.load(Ordering::SeqCst) && call.prompt().contains(part) {
            error(500, "out of order")
        } else {
            echo(call)
        }
    });
    (server, switch)
}

fn generate(program: &Program, minute: i64) -> (Option<i32>, Value) {
    let ran = program.run(&["--json", "generate", "--now", &time(minute)]);
    assert_eq!(ran.stderr, "");
    (ran.code, serde_json::from_str(&ran.stdout).unwrap())
}

/// `scope id: outcome` of each entry, with how many memories it made.
fn outcomes(report: &Value) -> Vec<(String, String, usize)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let entries = report["entries"].as_array().unwrap().iter();
    entries
        .map(|entry| {
            let made = entry["made"].as_array().unwrap().len();
            (text(&entry["scope_id"]), text(&entry["outcome"]), made)
        })
        .collect()
}

fn outcome(scope_id: &str, outcome: &str, made: usize) -> (String, String, usize) {
    (scope_id.to_owned(), outcome.to_owned(), made)
}

/// Regressions 4 and 17.
#[test]
fn a_failing_channel_never_stops_the_others_and_shows_in_the_report() {
    let (server, switch) = failing_on(POISON);
    let program = program_with(&(server.config() + THREADS), &posts());
    let (code, report) = generate(&program, 300);
    assert_eq!(code, Some(1));
    assert_eq!(
        outcomes(&report),
        [
            outcome(&format!("CALPHA:{}", ts(10)), "done", 1),
            outcome(&format!("CBROKEN:{}", ts(11)), "failed", 0),
            outcome("CALPHA", "done", 2),
            outcome("CBROKEN", "failed", 0),
            outcome("CGAMMA", "done", 2),
            outcome("default", "done", 1),
        ]
    );
    let reason = report["entries"][3]["reason"].as_str().unwrap();
    assert!(reason.contains("status 500"), "{reason}");

    // The next run needs no new message, and does only what failed and what follows from it.
    switch.store(false, Ordering::SeqCst);
    let (code, report) = generate(&program, 301);
    assert_eq!(code, Some(0), "{report:#}");
    assert_eq!(
        outcomes(&report),
        [
            outcome(&format!("CBROKEN:{}", ts(11)), "done", 1),
            outcome("CBROKEN", "done", 2),
            outcome("default", "done", 1),
        ]
    );
}

#[test]
fn the_report_for_people_names_a_reason_once_with_all_that_failed_for_it() {
    let (server, _) = failing_on(POISON);
    let program = program_with(&(server.config() + THREADS), &posts());
    let ran = program.run(&["generate", "--now", &time(300)]);
    let said = "myao: the model's server says: out of order\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), said), "{ran:#?}");
    let failed: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.starts_with("failed: "))
        .collect();
    assert_eq!(failed.len(), 1, "{ran:#?}");
    let places = format!("failed: #broken; #broken, thread {}: ", ts(11));
    assert!(failed[0].starts_with(&places), "{ran:#?}");
}

/// Regression 3.
#[test]
fn a_merge_that_failed_is_tried_again_without_a_new_message() {
    let (server, switch) = failing_on(CHANNEL_MERGE);
    let program = program_with(&server.config(), &posts()[4..]);
    let (code, report) = generate(&program, 300);
    assert_eq!(
        (code, outcomes(&report).remove(0)),
        (Some(1), outcome("CGAMMA", "failed", 1))
    );

    switch.store(false, Ordering::SeqCst);
    let before = server.calls().len();
    let (code, report) = generate(&program, 300);
    assert_eq!(code, Some(0));
    assert_eq!(
        report["entries"][0]["made"],
        json!([{
            "scope": "channel", "scope_id": "CGAMMA", "memory_type": "long-term", "version": 1,
            "engine": "llm", "source_message_count": 1, "truncated": false,
            "coverage": {
                "messages": 0, "covered": 0, "refused": 0, "unfounded": 0, "doubtful": 0, "records": 0, "late": 0, "refused_items": 0,
                "chunks": 1, "calls": 1,
                "left_out": { "other_channels": 0, "workspace": 0, "messages": 0, "channel": 0 },
            },
        }])
    );
    // The version that was saved is merged as it is: two calls, channel and workspace.
    let prompts = server.prompts().split_off(before);
    assert_eq!(prompts.len(), 2, "{prompts:#?}");
    assert!(
        prompts[0].contains(&format!("{CHANNEL_MERGE}\n- memory\n")),
        "{}",
        prompts[0]
    );
    let (_, report) = generate(&program, 300);
    assert_eq!(outcomes(&report), [outcome("default", "skipped", 0)]);
}

/// Regression 4.
#[test]
fn a_failed_workspace_merge_keeps_what_was_made_before_it() {
    let (server, switch) = failing_on(WORKSPACE_MERGE);
    let program = program_with(&server.config(), &posts()[4..]);
    let (code, report) = generate(&program, 300);
    assert_eq!(code, Some(1));
    assert_eq!(
        outcomes(&report),
        [
            outcome("CGAMMA", "done", 2),
            outcome("default", "failed", 0)
        ]
    );
    assert!(
        program
            .run(&["memory", "show", "gamma"])
            .output()
            .contains("45,000 yen")
    );

    switch.store(false, Ordering::SeqCst);
    let (code, report) = generate(&program, 300);
    assert_eq!(
        (code, outcomes(&report)),
        (Some(0), vec![outcome("default", "done", 1)])
    );
}

/// Regression 11.
#[test]
fn an_answer_that_was_cut_off_is_saved_and_only_merges_are_asked_for_once_more() {
    let server = LlmServer::start(|_| cut_off("- The budget is 45,000 yen.\n- The venue is Ha"));
    let program = program_with(&server.config(), &posts()[4..]);
    assert_eq!(generate(&program, 300).0, Some(0));
    let calls = server.calls().len();
    assert_eq!(
        calls, 5,
        "short-term; long-term and workspace, once more each"
    );
    let shown = program.run(&["--json", "memory", "show", "gamma"]).json();
    assert_eq!(shown[0]["content"], json!("- The budget is 45,000 yen."));
    assert_eq!(
        (generate(&program, 301).0, server.calls().len()),
        (Some(0), calls)
    );
}

/// Regression 12: what is forged in a message does not end the conversation.
#[test]
fn every_prompt_of_a_run_is_one_system_message() {
    let server = LlmServer::start(echo);
    let program = program_with(&server.config(), &posts());
    assert_eq!(generate(&program, 300).0, Some(0));
    for call in server.calls() {
        let messages = call.body["messages"].as_array().unwrap();
        assert_eq!(
            (messages.len(), &messages[0]["role"]),
            (1, &json!("system"))
        );
    }
}

fn backfill(program: &Program, more: &[&str]) -> (Option<i32>, Value) {
    let until = time(600);
    let ran = program.run(&[&["--json", "backfill", "--until", &until], more].concat());
    assert_eq!(ran.stderr, "");
    (ran.code, serde_json::from_str(&ran.stdout).unwrap())
}

#[test]
fn a_backfill_with_a_model_makes_its_memories_end_to_end() {
    let server = LlmServer::start(echo);
    let program = program_with(&server.config(), &posts());
    let (code, report) = backfill(&program, &[]);
    assert_eq!((code, &report["failed"]), (Some(0), &json!([])));
    let made = report["made"].as_array().unwrap();
    assert!(
        made.iter().all(|memory| memory["engine"] == json!("llm")),
        "{report:#}"
    );
    assert_eq!(server.calls().len(), made.len());
    let calls = server.calls().len();
    assert_eq!(backfill(&program, &[]).1["made"], json!([]));
    assert_eq!(server.calls().len(), calls);
}

#[test]
fn a_backfill_stops_at_a_failure_and_goes_on_from_there() {
    let (server, switch) = failing_on(POISON);
    let program = program_with(&(server.config() + THREADS), &posts());
    let (code, report) = backfill(&program, &[]);
    assert_eq!((code, &report["last_tick"]), (Some(1), &json!(time(60))));
    let failed = report["failed"].as_array().unwrap();
    assert_eq!(failed.len(), 2, "{report:#}");
    assert_eq!(
        (&failed[1]["scope_id"], &failed[1]["outcome"]),
        (&json!("CBROKEN"), &json!("failed"))
    );
    let made_of = |report: &Value, channel: &str| {
        let made = report["made"].as_array().unwrap().iter();
        made.filter(|memory| memory["scope_id"] == *channel).count()
    };
    assert_eq!(
        (made_of(&report, "CALPHA"), made_of(&report, "CGAMMA")),
        (2, 2)
    );

    switch.store(false, Ordering::SeqCst);
    let (code, report) = backfill(&program, &[]);
    assert_eq!(
        (code, made_of(&report, "CBROKEN")),
        (Some(0), 2),
        "{report:#}"
    );
    assert_eq!(
        (made_of(&report, "CALPHA"), made_of(&report, "CGAMMA")),
        (0, 0)
    );
    assert_eq!(report["first_tick"], json!(time(60)));
}

#[test]
fn a_backfill_that_keeps_going_passes_failures_and_reports_them() {
    let (server, _) = failing_on(POISON);
    let mut posts = posts();
    posts.push(post("gamma", 400, "bob", "The venue costs 9,000 yen."));
    let program = program_with(&server.config(), &posts);
    let (code, report) = backfill(&program, &["--keep-going"]);
    assert_eq!(code, Some(1));
    let failed = report["failed"].as_array().unwrap();
    assert!(
        failed
            .iter()
            .all(|entry| entry["channel_name"] == json!("broken")),
        "{report:#}"
    );
    let later =
        |memory: &&Value| memory["scope_id"] == json!("CGAMMA") && memory["version"] == json!(2);
    assert!(
        report["made"]
            .as_array()
            .unwrap()
            .iter()
            .any(|memory| later(&memory)),
        "{report:#}"
    );
}

#[test]
fn a_backfill_after_failures_never_goes_back_behind_what_was_made() {
    let (server, switch) = failing_on(POISON);
    let mut posts = posts();
    for channel in ["broken", "gamma"] {
        posts.push(post(channel, 4330, "bob", "The venue costs 9,000 yen."));
    }
    let program = program_with(&server.config(), &posts);
    let until = time(4800);
    let backfill = |more: &[&str]| {
        let ran = program.run(&[&["--json", "backfill", "--until", &until], more].concat());
        let report: Value = serde_json::from_str(&ran.stdout).unwrap();
        (ran.code, report)
    };
    let (code, _) = backfill(&["--keep-going"]);
    assert_eq!(code, Some(1));
    switch.store(false, Ordering::SeqCst);
    let (code, report) = backfill(&[]);
    assert_eq!(code, Some(0), "{report:#}");
    let mut made: Vec<&str> = report["made"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["scope_id"].as_str().unwrap())
        .collect();
    made.dedup();
    // The workspace's memory is made anew once the clock has reached it.
    assert_eq!(made, ["CBROKEN", "default"], "{report:#}");
}

/// The operating system ends a process that takes more than 10 s of a processor's time. Quadratic work on one of these
/// answers would take some minutes.
#[test]
fn the_time_of_reading_an_answer_grows_with_its_length() {
    for piece in [
        vec![b'x'; 1 << 10],
        vec![b'\n'; 1 << 20],
        b"data: {}\n".repeat(1 << 10),
    ] {
        let count = (15 << 20) / piece.len();
        let server = LlmServer::start(move |_| Reply::Chunks(piece.clone(), count));
        let program = program_with(&server.config(), &posts());
        let now = time(300);
        let script = r#"ulimit -t 10 && exec "$@""#;
        let mut command = program.shell(script, &["--json", "generate", "--now", &now]);
        let ran = Ran::of(&mut command);
        assert_eq!(ran.code, Some(1), "{count} {ran:#?}");
        assert!(!server.calls().is_empty(), "{ran:#?}");
    }
}
