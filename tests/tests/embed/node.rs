//! In Node, through jco: `tests/embed/node/`.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use myao_tests::project_file;

use crate::reference::CONTEXT;
use crate::runtime::{assert_log_without_texts, assert_same, run};
use crate::script::FILE;

/// The folder with jco installed, with today's sources and components in it.
fn folder() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(prepare).clone()
}

fn prepare() -> PathBuf {
    let folder = project_file("target/embed/node").canonicalize();
    let folder = folder
        .unwrap_or_else(|error| panic!("target/embed/node: {error}; run `make test-embed`"));
    for source in fs::read_dir(project_file("tests/embed/node")).unwrap() {
        let source = source.unwrap().path();
        fs::copy(&source, folder.join(source.file_name().unwrap())).unwrap();
    }
    for name in ["memory", "summarizer"] {
        let component = project_file(&format!("target/component/myao_{name}.wasm"));
        let mut jco = Command::new("node_modules/.bin/jco");
        jco.current_dir(&folder).arg("transpile");
        jco.arg(component.canonicalize().unwrap());
        jco.args(["--name", name, "--out-dir", &format!("generated/{name}")]);
        jco.args(["--instantiation", "sync", "--quiet"]);
        run(&mut jco);
    }
    folder
}

fn host() -> Output {
    let mut node = Command::new("node");
    node.current_dir(folder()).arg("host.js");
    for file in [CONTEXT, FILE] {
        node.arg(project_file(file).canonicalize().unwrap());
    }
    run(&mut node)
}

#[tokio::test]
#[ignore = "needs jco: make test-embed"]
async fn prints_what_the_rust_host_makes() {
    let printed = host();
    assert_log_without_texts(&printed);
    assert_same(printed).await;
}

#[test]
#[ignore = "needs jco: make test-embed"]
fn the_imports_have_the_types_of_the_contract() {
    let mut tsc = Command::new("node_modules/.bin/tsc");
    run(tsc.current_dir(folder()).args(["--project", "."]));
}
