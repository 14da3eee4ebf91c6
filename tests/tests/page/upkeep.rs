//! What could not be made, and what the calls of models took.

use myao_tests::export::{post, program_with, time, write_export};
use myao_tests::llm_server::{LlmServer, answer, answer_with_usage, error};
use myao_tests::page::Served;
use serde_json::json;

use super::{demo, has};

#[test]
fn without_a_model_there_are_no_failures_and_no_calls() {
    let demo = demo();
    let page = demo.page("/upkeep");
    has(&page, "There are none.");
    has(&page, "No model was asked");
    let twin = demo.page("/upkeep.json").json();
    for none in ["deferrals", "failed_calls", "days"] {
        assert_eq!(twin[none], json!([]), "{none}");
    }
}

#[test]
fn a_run_shows_what_it_made_and_what_it_skipped_and_why() {
    let posts = [
        post("general", 0, "ann", "Harbour goes out on 4 March."),
        post("general", 1, "bob", "The door code is 471188."),
        post("random", 0, "ann", "We have new cups."),
    ];
    let program = program_with("", &posts);
    program.run(&["generate", "--now", &time(180)]).succeeded();
    let later = [post("general", 240, "ann", "Beacon goes out on 5 March.")];
    write_export(&program, &later);
    program.run(&["import", "export"]).succeeded();
    let old = [post("history", 0, "ann", "We had a party.")];
    write_export(&program, &old);
    program.run(&["import", "export"]).succeeded();
    let served = Served::opened(program);
    let (page, twin) = (served.page("/upkeep"), served.page("/upkeep.json").json());
    let runs = twin["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1, "{twin}");
    assert_eq!(
        (&runs[0]["at"], &runs[0]["taken"]),
        (&json!(time(180)), &json!(null))
    );
    let made = runs[0]["made"].as_array().unwrap();
    let of = |layer: &str| made.iter().filter(|of| of["memory_type"] == layer).count();
    assert_eq!((of("short-term"), of("long-term")), (2, 3), "{twin}");
    has(&page, "2026-03-02 03:00");
    has(&page, "#general: Recent version 1, 2 messages");
    let skipped = |channel: &str| {
        let skipped = twin["skipped"].as_array().unwrap().iter();
        let mut skipped = skipped.filter(|of| of["channel_name"] == channel);
        skipped.next().map(|of| of["reason"].clone())
    };
    assert_eq!(skipped("general"), Some(json!("not-yet")), "{twin}");
    assert_eq!(skipped("history"), Some(json!("outside-window")), "{twin}");
    assert_eq!(skipped("random"), None, "{twin}");
    has(&page, "#general: 1 new message. The next run takes them.");
}

#[test]
fn calls_are_plotted_and_summed_by_day_and_by_memory() {
    let server = LlmServer::start(|_| {
        answer_with_usage("- Harbour goes out on 4 March.", (1000, Some(400), 200))
    });
    let config = server.config()
        + "prices:\n  currency: USD\n  openai/test-model: { input: 2.5, cached: 1.25, output: 10 }\n";
    let posts = [post("general", 0, "ann", "Harbour goes out on 4 March.")];
    let program = program_with(&config, &posts);
    program.run(&["generate", "--now", &time(180)]).succeeded();
    let printed = program.run(&["--json", "usage", "--by", "day"]).json();
    let served = Served::opened(program);
    let (page, twin) = (served.page("/upkeep"), served.page("/upkeep.json").json());
    assert_eq!(twin["days"].as_array().unwrap().len(), 1);
    for key in [
        "day",
        "calls",
        "failed",
        "input_tokens",
        "output_tokens",
        "cost",
    ] {
        assert_eq!(twin["days"][0][key], printed["groups"][0][key], "{key}");
    }
    // Tokens and money.
    assert_eq!(page.body.matches("<rect ").count(), 2);
    let run = &twin["runs"][0];
    assert_eq!(run["taken"]["calls"], printed["groups"][0]["calls"]);
    assert_eq!(run["taken"]["cost"], printed["groups"][0]["cost"]);
    has(&page, printed["groups"][0]["day"].as_str().unwrap());
    has(&page, " USD");
    let memory = served.page("/memory/1");
    has(
        &memory,
        "1 call of openai/test-model (0 failed), 1,000 input and 200 output tokens",
    );
    assert_eq!(served.page("/memory/1.json").json()["taken"]["calls"], 1);
}

#[test]
fn a_memory_that_could_not_be_made_is_shown_with_its_reason() {
    let server = LlmServer::start(|_| answer(""));
    let posts = [post(
        "general",
        0,
        "ann",
        "We release Harbour on 4 March at 14:00.",
    )];
    let program = program_with(&server.config(), &posts);
    let ran = program.run(&["generate", "--now", &time(180)]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let served = Served::opened(program);
    let (page, twin) = (served.page("/upkeep"), served.page("/upkeep.json").json());
    let deferral = &twin["deferrals"][0];
    assert_eq!(
        (&deferral["channel_name"], &deferral["failures"]),
        (&json!("general"), &json!(1))
    );
    has(&page, "#general: Recent, failed 1 time: ");
    has(&page, deferral["reason"].as_str().unwrap());
}

#[test]
fn calls_without_an_answer_are_counted_with_their_reason() {
    let server = LlmServer::start(|_| error(400, "{}"));
    let posts = [post(
        "general",
        0,
        "ann",
        "We release Harbour on 4 March at 14:00.",
    )];
    let program = program_with(&server.config(), &posts);
    let ran = program.run(&["generate", "--now", &time(180)]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let served = Served::opened(program);
    let (page, twin) = (served.page("/upkeep"), served.page("/upkeep.json").json());
    let failed = &twin["failed_calls"][0];
    assert_eq!(failed["channel_name"], "general", "{twin}");
    let shown = format!(
        "{}, failed {} time",
        failed["error"].as_str().unwrap(),
        failed["count"]
    );
    has(&page, &shown);
}
