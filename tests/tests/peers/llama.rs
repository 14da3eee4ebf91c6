//! A real model: llama.cpp with 135 million parameters, which writes English badly. Whatever it answers, a backfill
//! ends in order, and what is not good enough to save is reported, not saved.

use std::collections::BTreeSet;
use std::process::Command;

use myao_tests::export::{Post, post, program_with, time};
use myao_tests::peer::{Peer, peer_file};
use myao_tests::program::Program;
use serde_json::Value;

use crate::end_state::saved;

/// The conversations are over.
const UNTIL: i64 = 360;

fn posts() -> Vec<Post> {
    vec![
        post(
            "release",
            0,
            "ann",
            "We release Harbour 2.4 on 4 March at 10:00.",
        ),
        post(
            "release",
            4,
            "bob",
            "The tests are green. Carol reviews the migration today.",
        ),
        post("release", 9, "carol", "The migration is reviewed and fine."),
        post("release", 12, "ann", "Who writes the release notes?"),
        post("release", 15, "bob", "I write them by Tuesday.").in_thread(12),
        post(
            "camp",
            20,
            "dave",
            "The venue of the summer camp is Hakone.",
        ),
        post(
            "camp",
            26,
            "erin",
            "The budget is 45,000 yen, and 25 people can come.",
        ),
        post("camp", 31, "dave", "Please register by 6 March."),
        post(
            "release",
            200,
            "ann",
            "Harbour 2.4 is out. No errors so far.",
        ),
        post(
            "release",
            203,
            "carol",
            "The payment page is slower than before; I look into it.",
        ),
    ]
}

fn start() -> Peer {
    let mut command = Command::new(peer_file("llama/bin/llama-server-vulkan"));
    command
        .arg("--model")
        .arg(peer_file("llama/model.gguf"))
        .args([
            "--host",
            "127.0.0.1",
            "--device",
            "none",
            "--ctx-size",
            "8192",
        ])
        .args(["--parallel", "2", "--log-disable", "--no-webui"]);
    Peer::start(&mut command, "--port", "/health")
}

fn backfill(program: &Program) -> (Option<i32>, Value) {
    let until = time(UNTIL);
    let ran = program.run(&["--json", "backfill", "--keep-going", "--until", &until]);
    assert_eq!(ran.stderr, "", "{ran:#?}");
    (ran.code, serde_json::from_str(&ran.stdout).unwrap())
}

#[test]
#[ignore = "needs llama.cpp and a model: make test-llm"]
fn a_backfill_with_a_real_model_ends_in_order() {
    let server = start();
    let url = server.url("/v1");
    let program = program_with(
        &format!(
            "agents:\n  memory:\n    model_id: openai/smollm2\n    params: {{ temperature: 0, seed: 1 }}\n    \
             client_args: {{ base_url: '{url}' }}\n    limits: {{ calls_in_flight: 2 }}\n"
        ),
        &posts(),
    );
    let (code, report) = backfill(&program);
    println!("{report:#}");
    let made = report["made"].as_array().unwrap();
    let failed = report["failed"].as_array().unwrap();
    assert_eq!(code, Some(i32::from(!failed.is_empty())));
    assert!(!made.is_empty() || !failed.is_empty());
    for entry in failed {
        let reason = entry["reason"].as_str().unwrap();
        assert!(!reason.is_empty(), "{entry:#}");
    }

    // The newest of what the report calls made is what there is.
    let key = |memory: &Value| {
        let text = |key: &str| memory[key].as_str().unwrap().to_owned();
        (text("scope_id"), text("memory_type"))
    };
    let made: BTreeSet<_> = made.iter().map(key).collect();
    let memories = saved(&program);
    assert_eq!(memories.len(), made.len());
    for memory in &memories {
        println!("{memory:#?}");
        assert_eq!(memory.engine, "llm");
        assert!(!memory.content.is_empty());
        assert_eq!(memory.content, memory.content.trim());
    }
}
