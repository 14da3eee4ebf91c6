//! In Node, through jco: `tests/embed/node/`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use myao_tests::project_file;
use serde_json::Value;

use crate::distribution::run_block;
use crate::json::plain;
use crate::reference::{self, CONTEXT};
use crate::runtime::{assert_log_without_texts, assert_same, run};
use crate::script::FILE;

/// The folder with jco installed, with today's sources and components in it.
fn folder() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(prepare).clone()
}

fn prepare() -> PathBuf {
    let folder = project_file("target/embed/node").canonicalize();
    let folder =
        folder.unwrap_or_else(|error| panic!("target/embed/node: {error}; run `make test-embed`"));
    for source in fs::read_dir(project_file("tests/embed/node")).unwrap() {
        let source = source.unwrap().path();
        fs::copy(&source, folder.join(source.file_name().unwrap())).unwrap();
    }
    for (name, file) in [
        ("bot", "myao_bot"),
        ("summarizer", "myao_summarizer"),
        ("faulty", "faulty"),
    ] {
        let component = project_file(&format!("target/component/{file}.wasm"));
        let mut jco = Command::new("node_modules/.bin/jco");
        jco.current_dir(&folder).arg("transpile");
        jco.arg(component.canonicalize().unwrap());
        jco.args(["--name", name, "--out-dir", &format!("generated/{name}")]);
        jco.args(["--instantiation", "sync", "--quiet"]);
        run(&mut jco);
    }
    folder
}

fn node(script: &str) -> Output {
    let mut node = Command::new("node");
    node.current_dir(folder()).arg(script);
    for file in [CONTEXT, FILE] {
        node.arg(project_file(file).canonicalize().unwrap());
    }
    run(&mut node)
}

#[tokio::test]
#[ignore = "needs jco: make test-embed"]
async fn prints_what_the_rust_host_makes() {
    let printed = node("host.js");
    assert_log_without_texts(&printed);
    assert_same(printed).await;
}

#[tokio::test]
#[ignore = "needs jco: make test-embed"]
async fn imports_may_answer_later_and_a_call_ends_at_its_deadline() {
    let output = node("async-host.js");
    assert_log_without_texts(&output);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut workspace = plain(reference::memory().await);
    workspace.as_object_mut().unwrap().remove("prompts");
    assert_eq!(printed["memory"], workspace);
    assert_eq!(
        printed["summary"],
        plain(reference::summarizer().await)["summary"]
    );
    assert_eq!(printed["late"], "the call took longer than 2000 ms");
    assert_eq!(printed["failed"], "the model is broken");
    assert_eq!(
        printed["missing"],
        "the import storage has no function listDue"
    );
    assert_eq!(printed["unlogged"], "the log is full");
    let chunks = printed["chunks"].as_u64();
    assert!(chunks > Some(1), "{printed}");
    assert_eq!(printed["side-by-side"].as_u64(), chunks);
}

#[test]
#[ignore = "needs jco: make test-embed"]
fn clocks_stand_still_and_chance_is_the_same_in_every_call() {
    let script = project_file("tests/tests/embed/prying.js");
    fs::copy(script, folder().join("prying.mjs")).unwrap();
    let printed = node("prying.mjs");
    let told: Vec<String> = serde_json::from_slice(&printed.stdout).unwrap();
    let [first, second, machine, timer, next] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert!(first.starts_with("Ok(0ns) 0ns "), "{first}");
    assert_eq!(first, second);
    assert_eq!(machine, "environment 0, arguments 0, files 0, sockets 0");
    assert_eq!(timer, "a component has no clock");
    assert_eq!(next, "a prompt");
}

#[tokio::test]
#[ignore = "needs jco: make test-embed"]
async fn the_commands_of_the_distribution_work() {
    let installed = folder().join("node_modules");
    let place = "examples/node/node_modules";
    let printed = run_block(
        "node host.js",
        &["npm install --ignore-scripts"],
        (place, &installed),
    );
    assert_same(printed).await;
}

#[test]
#[ignore = "needs jco: make test-embed"]
fn the_imports_have_the_types_of_the_contract() {
    let mut tsc = Command::new("node_modules/.bin/tsc");
    run(tsc.current_dir(folder()).args(["--project", "."]));
}
