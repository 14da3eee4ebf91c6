//! In Python, through wasmtime: `tests/embed/python/`.

use std::process::{Command, Output};

use myao_tests::project_file;

use crate::reference::CONTEXT;
use crate::runtime::{assert_log_without_texts, assert_same, run};
use crate::script::FILE;

fn python(script: &str) -> Command {
    let mut python = Command::new(project_file("target/embed/python/bin/python"));
    python.arg(project_file(&format!("tests/embed/python/{script}")));
    // Nothing is written beside the sources.
    python.env("PYTHONDONTWRITEBYTECODE", "1");
    python
}

fn host() -> Output {
    let mut python = python("host.py");
    for name in ["memory", "summarizer"] {
        python.arg(project_file(&format!("target/component/myao_{name}.wasm")));
    }
    run(python.args([CONTEXT, FILE].map(project_file)))
}

#[tokio::test]
#[ignore = "needs wasmtime for Python: make test-embed"]
async fn prints_what_the_rust_host_makes() {
    let printed = host();
    assert_log_without_texts(&printed);
    assert_same(printed).await;
}
