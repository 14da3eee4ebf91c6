//! `myao rebuild`, and `--estimate` of what makes memories.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::program::{Program, demo_export};
use myao_tests::telling::letters;
use serde_json::{Value, json};

const GENERAL: &str = "general";

/// What is remembered now, with the texts; without ids.
fn remembered(program: &Program, arguments: &[&str]) -> Vec<Value> {
    let arguments = [&["--json", "memory", "list"], arguments].concat();
    let list = program.run(&arguments).json();
    let list = list.as_array().unwrap().iter();
    list.map(|memory| {
        let of = |key: &str| memory[key].clone();
        json!([
            of("scope_id"),
            of("memory_type"),
            of("version"),
            of("content"),
            of("updated_at"),
            of("source_message_count"),
        ])
    })
    .collect()
}

fn ids(program: &Program, of_general: bool) -> Vec<u64> {
    let list = program.run(&["--json", "memory", "list"]).json();
    let list = list.as_array().unwrap().iter();
    list.filter(|memory| (memory["channel_name"] == json!(GENERAL)) == of_general)
        .filter(|memory| memory["scope"] != json!("workspace"))
        .map(|memory| memory["id"].as_u64().unwrap())
        .collect()
}

#[test]
fn all_memories_made_anew_are_those_of_a_backfill() {
    let program = Program::with_demo();
    program.run(&["backfill"]).succeeded();
    let before = remembered(&program, &[]);
    let report = program.run(&["--json", "rebuild"]).json();
    assert!(report["set_aside"].as_u64() >= Some(before.len() as u64));
    assert_eq!(report["failed"], json!([]));
    assert_eq!(remembered(&program, &[]), before);
    let told = program.run(&["backfill"]).output();
    assert!(told.contains("Nothing to do"), "{told}");
}

#[test]
fn one_channel_is_made_anew_and_the_others_stay() {
    let program = Program::with_demo();
    program.run(&["backfill"]).succeeded();
    let (before, others) = (remembered(&program, &[]), ids(&program, false));
    let old = ids(&program, true);
    let told = program.run(&["rebuild", "#general"]).output();
    assert!(told.starts_with("Set aside "), "{told}");
    assert!(told.contains("made "), "{told}");
    assert_eq!(ids(&program, false), others);
    assert!(ids(&program, true).iter().all(|id| !old.contains(id)));
    let of_channels = |list: Vec<Value>| {
        let list = list
            .into_iter()
            .filter(|memory| memory[0] != json!("default"));
        list.collect::<Vec<Value>>()
    };
    assert_eq!(of_channels(remembered(&program, &[])), of_channels(before));
}

#[test]
fn a_channel_that_does_not_exist_is_named_and_nothing_is_set_aside() {
    let program = Program::with_demo();
    program.run(&["backfill"]).succeeded();
    let before = program.rows();
    let refused = program.run(&["rebuild", "genral"]).refusal();
    assert!(refused.contains("no channel `genral`"), "{refused}");
    assert!(refused.contains(GENERAL), "{refused}");
    assert_eq!(program.rows(), before);
}

#[test]
fn memories_of_who_knows_what_are_made_anew_from_the_messages() {
    let program = crate::cli::python_bot::imported();
    let doctor = |program: &Program| program.run(&["doctor"]).stdout;
    assert!(
        doctor(&program).contains("set aside"),
        "{}",
        doctor(&program)
    );
    program.run(&["rebuild"]).succeeded();
    assert!(
        !doctor(&program).contains("set aside"),
        "{}",
        doctor(&program)
    );
    let memories = remembered(&program, &[]);
    assert!(!memories.is_empty());
}

#[test]
fn an_estimate_tells_the_calls_that_the_work_takes_and_asks_and_saves_nothing() {
    // No two answers are the same: the same question is not asked twice.
    let number = AtomicUsize::new(0);
    let server = LlmServer::start(move |_| {
        let number = number.fetch_add(1, Ordering::Relaxed);
        answer(&format!("- memory {}", letters(number as u64)))
    });
    let program = Program::with_config(&server.config());
    program.run(&["import", &demo_export()]).succeeded();
    let before = program.rows();
    let backfill = ["--json", "backfill", "--until", "2026-03-03T12:00:00Z"];
    let estimate = program
        .run(&[&backfill[..], &["--estimate"]].concat())
        .json();
    assert_eq!(server.calls().len(), 0);
    assert_eq!(program.rows(), before);
    let left = fs::read_dir(program.folder()).unwrap();
    let left = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = left.filter(|name| name.contains("estimate")).collect();
    assert!(left.is_empty(), "{left:?}");

    program.run(&backfill).succeeded();
    let calls = server.calls().len() as u64;
    assert!(calls > 20, "{calls}");
    assert_eq!(estimate["total"]["calls"], json!(calls));
    let usage = program.run(&["--json", "usage"]).json();
    let tokens = |report: &Value| report["total"]["output_tokens"].as_u64();
    assert!(tokens(&estimate) > tokens(&usage), "{estimate} {usage}");

    let until = "2026-03-04T00:00:00Z";
    let told = program
        .run(&["generate", "--now", until, "--estimate"])
        .output();
    assert!(told.contains("channel short-term"), "{told}");
    assert!(told.contains("This is an estimate"), "{told}");
    let anew = program.run(&["rebuild", "general", "--estimate"]).output();
    assert!(anew.contains("channel short-term"), "{anew}");
    assert_eq!(server.calls().len() as u64, calls);
}

#[test]
fn an_estimate_without_a_model_says_that_none_would_be_called() {
    let program = Program::with_demo();
    let told = program.run(&["backfill", "--estimate"]).output();
    assert_eq!(told, "No model would be called.\n");
    assert!(remembered(&program, &[]).is_empty());
}
