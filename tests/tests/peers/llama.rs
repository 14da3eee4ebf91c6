//! A real model: llama.cpp with 135 million parameters, which reads and writes English, badly. Whatever it answers,
//! a backfill ends in order: what is not good enough to be saved is reported, and nothing else is missing.

use std::collections::BTreeSet;
use std::process::Command;

use myao_tests::export::{Post, post, program_with, time};
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
    let mut command = Command::new(peer_file("llama/bin/llama-server-vulkan"));
    command
        .args(["--host", "127.0.0.1", "--device", "none", "--log-disable"])
        .args(["--ctx-size", "8192", "--parallel", "2", "--model"])
        .arg(peer_file("llama/model.gguf"));
    Peer::start(&mut command, "--port", "/health")
}

/// A program with the conversations; short answers, for the model is slow.
fn program(server: &Peer, more: &str) -> Program {
    let url = server.url("/v1");
    let config = format!(
        "agents:\n  memory:\n    model_id: openai/smollm2\n    params: {{ temperature: 0, seed: 1 }}\n    \
         client_args: {{ base_url: '{url}' }}\n    limits: {{ calls_in_flight: 2 }}\n\
         memory: {{ short_term_summary_max_tokens: 100, long_term_summary_max_tokens: 150{more} }}\n"
    );
    program_with(&config, &posts())
}

/// A whole backfill, checked against what is in the database.
fn backfill(program: &Program) -> Vec<Saved> {
    let until = time(UNTIL);
    let ran = program.run(&["--json", "backfill", "--keep-going", "--until", &until]);
    assert_eq!(ran.stderr, "", "{ran:#?}");
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let list = |key: &str| report[key].as_array().unwrap().clone();
    let failed = list("failed");
    assert_eq!(ran.code, Some(i32::from(!failed.is_empty())), "{report:#}");
    for entry in &failed {
        let reason = entry["reason"].as_str().unwrap();
        assert!(reason.starts_with("the model "), "{reason}");
    }
    let made: BTreeSet<String> = list("made")
        .iter()
        .map(|made| format!("{} {}", made["scope_id"], made["memory_type"]))
        .collect();
    let memories = saved(program);
    assert_eq!(memories.len(), made.len(), "{memories:#?}");
    for memory in &memories {
        assert_eq!(memory.engine, "llm", "{memory:#?}");
        assert!(!memory.content.is_empty(), "{memory:#?}");
        assert_eq!(memory.content, memory.content.trim(), "{memory:#?}");
    }
    memories
}

#[test]
#[ignore = "needs llama.cpp and a model: make test-llm"]
fn a_backfill_in_the_models_language_ends_in_order() {
    let server = start();
    let templates = project_file("tests/fixtures/english-templates");
    let more = format!(", templates_path: '{}'", templates.display());
    backfill(&program(&server, &more));
}

#[test]
#[ignore = "needs llama.cpp and a model: make test-llm"]
fn a_backfill_with_prompts_beyond_the_model_ends_in_order() {
    let server = start();
    backfill(&program(&server, ""));
}
