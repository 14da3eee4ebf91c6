//! `myao summarize` without a model.

use myao_tests::export::{post, program_with, time};
use myao_tests::program::{Program, golden_context};
use serde_json::{Value, json};

#[test]
fn the_extractive_engine_prints_its_text_and_says_what_it_is() {
    let program = Program::default();
    let context = golden_context();
    let arguments = [
        "summarize",
        "--scope=channel",
        "--memory-type=short-term",
        "--context",
        &context,
    ];
    let text = program.run(&arguments).output();
    assert!(
        text.starts_with("（LLMを使わず、発言から抜粋した記憶です）\n- 2024-03-01 "),
        "{text}"
    );
    assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{text:?}");
    let answer = program.run(&[&["--json"], &arguments[..]].concat()).json();
    assert_eq!(
        (&answer["text"], &answer["engine"], &answer["truncated"]),
        (&json!(text.trim_end()), &json!("extractive"), &json!(false))
    );
    assert_eq!(answer["coverage"]["calls"], json!(0));
}

#[test]
fn nothing_to_summarise_leaves_the_existing_memory_as_it_is() {
    let program = program_with("", &[post("quiet", 0, "ann", "👍")]);
    let now = format!("--now={}", time(60 * 24 * 30));
    let channel = [
        "--json",
        "summarize",
        "--scope=channel",
        "--memory-type=long-term",
        "--channel=quiet",
        &now,
    ];
    let given = program
        .run(&[&channel[..], &["--existing-memory=- kept"]].concat())
        .json();
    assert_eq!(
        (&given["text"], &given["engine"]),
        (&json!("- kept"), &Value::Null)
    );
    let none = program.run(&channel).json();
    assert_eq!((&none["text"], &none["engine"]), (&json!(""), &Value::Null));
    let silent = program.run(&channel[1..]).output();
    assert_eq!(silent, "");
}

#[test]
fn summarising_saves_nothing() {
    let program = program_with("", &[post("general", 0, "ann", "We release on 4 March.")]);
    let before = program.rows();
    let now = format!("--now={}", time(60));
    let channel = [
        "summarize",
        "--scope=channel",
        "--memory-type=short-term",
        "--channel=general",
        &now,
    ];
    assert!(program.run(&channel).output().contains("4 March"));
    assert_eq!(program.rows(), before);
}
