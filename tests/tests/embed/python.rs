//! In Python, through the package `myao`: `tests/embed/python/` and `packaging/pypi/tests/`.

use std::path::Path;
use std::process::{Command, Output};

use myao_tests::project_file;

use crate::conformance::assert_kept;
use crate::distribution::run_block;
use crate::private::assert_unchanged;
use crate::reference::CONTEXT;
use crate::runtime::{assert_log_without_texts, assert_same, run};
use crate::script::FILE;

fn host(workspace: &Path) -> Output {
    let mut python = Command::new(project_file("target/embed/python/bin/python"));
    python.arg(project_file("tests/embed/python/host.py"));
    // Nothing is written beside the sources.
    python.env("PYTHONDONTWRITEBYTECODE", "1");
    run(python.arg(project_file(CONTEXT)).arg(workspace))
}

#[tokio::test]
#[ignore = "needs wasmtime for Python: make test-embed"]
async fn prints_what_the_rust_host_makes() {
    let printed = host(&project_file(FILE));
    assert_log_without_texts(&printed);
    assert_same(printed).await;
}

#[test]
#[ignore = "needs wasmtime for Python: make test-embed"]
fn what_is_said_in_private_changes_nothing_elsewhere() {
    assert_unchanged(host);
}

#[test]
#[ignore = "needs wasmtime for Python: make test-embed"]
fn the_stores_keep_the_contract() {
    let installed = project_file("target/embed/python").canonicalize().unwrap();
    let printed = run_block("conformance.py", &[], ("target", &installed));
    assert_kept(&printed, &["MemoryStore", "SqliteStore"]);
}

#[tokio::test]
#[ignore = "needs wasmtime for Python: make test-embed"]
async fn the_commands_of_the_distribution_work() {
    let installed = project_file("target/embed/python").canonicalize().unwrap();
    let install = [
        "python3 -m venv target",
        "target/bin/pip install myao_memory-VERSION-py3-none-any.whl",
    ];
    let printed = run_block("host.py", &install, ("target", &installed));
    assert_same(printed).await;
}
