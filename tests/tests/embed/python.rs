//! In Python, through wasmtime: `tests/embed/python/`.

use std::process::{Command, Output};

use myao_tests::project_file;

use crate::distribution::run_block;
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
    for name in ["bot", "summarizer"] {
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

#[tokio::test]
#[ignore = "needs wasmtime for Python: make test-embed"]
async fn the_commands_of_the_distribution_work() {
    let installed = project_file("target/embed/python").canonicalize().unwrap();
    let install = [
        "python3 -m venv target",
        "target/bin/pip install -r examples/python/requirements.txt",
    ];
    let printed = run_block("host.py", &install, ("target", &installed));
    assert_same(printed).await;
}

#[test]
#[ignore = "needs wasmtime for Python: make test-embed"]
fn a_call_ends_at_its_deadline_at_its_memory_limit_and_where_it_looks_at_the_machine() {
    let mut python = python("limits.py");
    python.arg(project_file("target/component/myao_summarizer.wasm"));
    python.args([CONTEXT, FILE].map(project_file));
    let printed = run(python.arg(project_file("target/component/faulty.wasm")));
    let printed = String::from_utf8(printed.stdout).unwrap();
    let lines: Vec<&str> = printed.lines().collect();
    let [endless, too_long, clock, machine, next] = lines.as_slice() else {
        panic!("{printed}");
    };
    assert_eq!(*endless, "endless: wasm trap: interrupt");
    assert!(too_long.starts_with("too long: wasm trap"), "{too_long}");
    assert!(
        clock.starts_with("clock: unknown import: `wasi:clocks/"),
        "{clock}"
    );
    assert!(
        machine.starts_with("machine: unknown import: `wasi:cli/environment"),
        "{machine}"
    );
    assert!(next.starts_with("the next call: "), "{next}");
}
