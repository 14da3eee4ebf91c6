//! What could not be made, and what the calls of models took.

use myao_tests::export::{post, program_with, time};
use myao_tests::llm_server::{LlmServer, answer, answer_with_usage};
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
    assert_eq!(twin, json!({ "deferrals": [], "days": [] }));
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
    assert_eq!(page.body.matches("<rect ").count(), 1);
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
    has(&page, "#general: Short-term memory, failed 1 time: ");
    has(&page, deferral["reason"].as_str().unwrap());
}
