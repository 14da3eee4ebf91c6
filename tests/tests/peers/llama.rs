//! A real model: llama.cpp with 135 million parameters, which reads and writes English, badly. Whatever it answers,
//! a backfill ends in order: nothing in the wrong language or copied from the prompt is saved, what is not good
//! enough is reported, and nothing else is missing.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use myao_tests::export::{Post, post, program_with, time, ts};
use myao_tests::peer::{Peer, peer_file};
use myao_tests::program::Program;
use myao_tests::project_file;
use serde_json::Value;

use crate::end_state::{Saved, saved};

/// The conversations are over, and have been idle for long enough.
const UNTIL: i64 = 360;

fn posts() -> Vec<Post> {
    let release = |minute, user, text| post("release", minute, user, text);
    let camp = |minute, user, text| post("camp", minute, user, text);
    vec![
        release(5, "ann", "We release Harbour 2.4 on 4 March at 10:00."),
        release(9, "carol", "I reviewed the migration. It is fine."),
        release(12, "ann", "Who writes the release notes?"),
        release(15, "bob", "I write them by Tuesday.").in_thread(12),
        camp(20, "dave", "The venue of the summer camp is Hakone."),
        camp(26, "erin", "The budget is 45,000 yen. 25 people can come."),
        release(200, "ann", "Harbour 2.4 is out. No errors so far."),
        release(203, "carol", "The payment page is slow. I look into it."),
    ]
}

fn start() -> Peer {
    let mut command = Command::new(peer_file("llama/bin/python"));
    command
        .arg(project_file("tests/peers/llama.py"))
        .arg(peer_file("llama/model.gguf"));
    Peer::start(&mut command, "--port", "/health")
}

/// A program with the conversations; short answers, for the model is slow.
fn program(server: &Peer, more: &str) -> Program {
    let url = server.url("/v1");
    let config = format!(
        "agents:\n  memory:\n    model_id: openai/smollm2\n    params: {{ temperature: 0, seed: 1 }}\n    \
         client_args: {{ base_url: '{url}' }}\n    limits: {{ calls_in_flight: 2 }}\n\
         memory: {{ short_term_summary_max_tokens: 100, long_term_summary_max_tokens: 150, \
         thread_memories: always{more} }}\n"
    );
    program_with(&config, &posts())
}

/// A whole backfill, checked against what is in the database; `templates` are those of its prompts.
fn backfill(server: &Peer, program: &Program, templates: &Path) {
    let until = time(UNTIL);
    let ran = program.run(&["--json", "backfill", "--keep-going", "--until", &until]);
    server.assert_running();
    assert_eq!(ran.stderr, "", "{ran:#?}");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let list = |key: &str| report[key].as_array().unwrap().clone();
    let (failed, deferred) = (list("failed"), list("deferred"));
    assert_eq!(ran.code, Some(i32::from(!failed.is_empty())), "{report:#}");
    for entry in &failed {
        let reason = entry["reason"].as_str().unwrap();
        assert!(reason.starts_with("the model "), "{reason}");
    }
    for entry in &deferred {
        let before = failed
            .iter()
            .filter(|failed| failed["scope_id"] == entry["scope_id"]);
        let failures = entry["deferral"]["failures"].as_u64().unwrap();
        let possible = 1..=u64::try_from(before.count()).unwrap();
        assert!(possible.contains(&failures), "{report:#}");
    }
    let made: BTreeSet<(String, String)> = list("made").iter().map(kind).collect();
    nothing_is_missing(&made, &[failed, deferred].concat());
    let memories = saved(program);
    assert_eq!(memories.len(), made.len(), "{memories:#?}");
    let flawed: Vec<(Vec<String>, &Saved)> = memories
        .iter()
        .map(|memory| (flaws(memory, templates), memory))
        .filter(|(flaws, _)| !flaws.is_empty())
        .collect();
    assert!(flawed.is_empty(), "{flawed:#?}\nof {memories:#?}");
}

/// What a memory is about, and its type.
fn kind(made: &Value) -> (String, String) {
    let text = |key: &str| made[key].as_str().unwrap().to_owned();
    (text("scope_id"), text("memory_type"))
}

/// Each memory was made, or the report says why not.
#[track_caller]
fn nothing_is_missing(made: &BTreeSet<(String, String)>, reported: &[Value]) {
    let thread = format!("CRELEASE:{}", ts(12));
    let channels = ["CRELEASE", "CCAMP"].into_iter();
    let mut all: Vec<(&str, &str)> = channels
        .flat_map(|id| [(id, "short-term"), (id, "long-term")])
        .chain([(thread.as_str(), "short-term")])
        .collect();
    let is_made =
        |id: &str, memory_type: &str| made.contains(&(id.to_owned(), memory_type.to_owned()));
    // Without these there is nothing to merge.
    if is_made("CRELEASE", "long-term") || is_made("CCAMP", "long-term") {
        all.push(("default", "long-term"));
    }
    for (id, memory_type) in all {
        let is_reported = reported.iter().any(|entry| entry["scope_id"] == id);
        assert!(
            is_made(id, memory_type) || is_reported,
            "{id}, {memory_type}: {made:?} {reported:#?}"
        );
    }
}

/// A shorter text in Japanese characters is not held against the model.
const MAX_JAPANESE: usize = 24;
/// A shorter line may be the same by chance, in letters.
const LEAST_LINE: usize = 12;

/// Why a memory should not have been saved: nobody wrote anything but English, and a memory is no copy.
fn flaws(memory: &Saved, templates: &Path) -> Vec<String> {
    let mut flaws = Vec::new();
    let content = memory.content.as_str();
    if memory.engine != "llm" || content.is_empty() || content != content.trim() {
        flaws.push("is not as models' memories are kept".to_owned());
    }
    let japanese = |c: &char| matches!(c, '\u{3041}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}');
    let letters = content.chars().filter(|c| c.is_alphabetic()).count();
    let count = content.chars().filter(japanese).count();
    if count >= MAX_JAPANESE && count * 2 > letters {
        flaws.push("is in Japanese".to_owned());
    }
    for words in ["Your last answer", "前回の回答"] {
        if content.contains(words) {
            flaws.push(format!(
                "repeats what was wrong with another answer: {words}"
            ));
        }
    }
    let (headings, lines) = fixed_lines(templates);
    flaws.extend(
        lines
            .iter()
            .filter(|line| content.contains(line.as_str()))
            .map(|line| format!("repeats its instruction: {line}")),
    );
    let repeated = content
        .lines()
        .filter(|line| headings.contains(line.trim()));
    if repeated.count() > 1 {
        flaws.push("repeats headings of its prompt".to_owned());
    }
    if content.matches("2026-03-02 0").count() > 1 {
        flaws.push("repeats heads of messages".to_owned());
    }
    flaws
}

/// Headings, and other lines, that stand in the templates as they are.
fn fixed_lines(templates: &Path) -> (BTreeSet<String>, BTreeSet<String>) {
    let files = std::fs::read_dir(templates).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let texts: Vec<String> = paths
        .filter(|path| path.is_file())
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    let lines = texts.iter().flat_map(|text| text.lines().map(str::trim));
    lines
        .filter(|line| !line.contains('{') && line.chars().count() >= LEAST_LINE)
        .map(str::to_owned)
        .partition(|line| line.starts_with('#'))
}

#[test]
#[ignore = "needs llama.cpp and a model: make test-llm"]
fn a_backfill_in_the_models_language_ends_in_order() {
    let server = start();
    let program = program(&server, ", prompt_language: en");
    backfill(&server, &program, &project_file("templates/en"));
}

#[test]
#[ignore = "needs llama.cpp and a model: make test-llm"]
fn a_backfill_with_prompts_beyond_the_model_ends_in_order() {
    let server = start();
    backfill(&server, &program(&server, ""), &project_file("templates"));
}
