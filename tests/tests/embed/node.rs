//! In Node, through the npm package: `packaging/npm/` and `tests/embed/node/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, OnceLock, PoisonError};

use myao_tests::project_file;

use crate::conformance::assert_kept;
use crate::distribution::run_block;
use crate::private::{assert_unchanged, playing};
use crate::reference::CONTEXT;
use crate::runtime::{assert_log_without_texts, assert_same, run};
use crate::script::FILE;

/// The folder of `scripts/prepare-embed`, with today's sources and today's package in it.
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
    let package = folder.join("node_modules/myao-memory");
    run(Command::new(project_file("scripts/package-npm")).arg(package));
    let component = project_file("target/component/myao_conformance.wasm");
    let mut jco = Command::new("node_modules/.bin/jco");
    jco.current_dir(&folder).arg("transpile");
    jco.arg(component.canonicalize().unwrap());
    jco.args([
        "--name",
        "conformance",
        "--out-dir",
        "generated/conformance",
    ]);
    jco.args(["--instantiation", "sync", "--quiet"]);
    run(&mut jco);
    folder
}

fn node(script: &str, arguments: &[&str]) -> Output {
    host(Command::new("node"), script, arguments)
}

/// What a script prints in a runtime.
pub(crate) fn host(runtime: Command, script: &str, arguments: &[&str]) -> Output {
    host_of(runtime, script, &project_file(FILE), arguments)
}

/// The same with another workspace than that of the script.
pub(crate) fn host_of(
    mut runtime: Command,
    script: &str,
    workspace: &Path,
    arguments: &[&str],
) -> Output {
    runtime.current_dir(folder()).arg(script);
    for file in [project_file(CONTEXT).as_path(), workspace] {
        runtime.arg(file.canonicalize().unwrap());
    }
    run(runtime.args(arguments))
}

#[tokio::test]
#[ignore = "needs Node: make test-embed"]
async fn prints_what_the_rust_host_makes() {
    let printed = node("host.js", &[]);
    assert_log_without_texts(&printed);
    assert_same(printed).await;
}

#[tokio::test]
#[ignore = "needs Node: make test-embed"]
async fn imports_may_answer_later() {
    let printed = node("host.js", &["later"]);
    assert_log_without_texts(&printed);
    assert_same(printed).await;
}

#[test]
#[ignore = "needs Node: make test-embed"]
fn the_package_passes_its_tests() {
    test_package(&mut package_tests());
}

/// The tests of the package.
pub(crate) fn package_tests() -> Command {
    Command::new(project_file("scripts/test-npm"))
}

/// Runs tests over the package in `target/npm`. Some of them pack it, so only one runs at a time.
pub(crate) fn test_package(tests: &mut Command) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    run(Command::new(project_file("scripts/package-npm")).arg(project_file("target/npm")));
    run(tests);
}

#[test]
#[ignore = "needs Node: make test-embed"]
fn clocks_stand_still_and_chance_is_the_same_in_every_call() {
    let script = project_file("tests/tests/embed/prying.js");
    fs::copy(script, folder().join("prying.mjs")).unwrap();
    let component = project_file("target/component/faulty.wasm").canonicalize();
    let printed = node("prying.mjs", &[component.unwrap().to_str().unwrap()]);
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

#[test]
#[ignore = "needs Node: make test-embed"]
fn the_stores_keep_the_contract() {
    let installed = folder().join("node_modules");
    let place = "examples/node/node_modules";
    let printed = run_block("node conformance.js", &["npm install"], (place, &installed));
    // Node 20 has no SQLite, and says so.
    let said = String::from_utf8_lossy(&printed.stderr);
    let stores: &[&str] = match said.contains("SqliteStore is not checked") {
        true => &["MemoryStore"],
        false => &["MemoryStore", "SqliteStore"],
    };
    assert_kept(&printed, stores);
}

#[tokio::test]
#[ignore = "needs Node: make test-embed"]
async fn the_commands_of_the_distribution_work() {
    let installed = folder().join("node_modules");
    let place = "examples/node/node_modules";
    let printed = run_block("node host.js", &["npm install"], (place, &installed));
    assert_same(printed).await;
}

#[test]
#[ignore = "needs Node: make test-embed"]
fn what_is_said_in_private_changes_nothing_elsewhere() {
    assert_unchanged(playing(|| Command::new("node")));
}

#[test]
#[ignore = "needs Node: make test-embed"]
fn the_imports_have_the_types_of_the_contract() {
    let mut tsc = Command::new("node_modules/.bin/tsc");
    run(tsc.current_dir(folder()).args(["--project", "."]));
}
