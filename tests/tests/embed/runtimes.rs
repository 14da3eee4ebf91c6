//! In the newest Node, in Deno and in Bun: the npm package, and the host of `tests/embed/node/`.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use myao_tests::project_file;

use crate::conformance::assert_kept;
use crate::node::{host, package_tests, test_package};
use crate::private::{assert_unchanged, playing};
use crate::runtime::{assert_log_without_texts, assert_same};

/// A program that `scripts/prepare-embed runtimes` installed, whose package is named by the machine.
fn program(scope: &str, package: &str, path: &str) -> PathBuf {
    let folder = project_file("target/embed/runtimes/node_modules").join(scope);
    let packages = folder.read_dir().map(|packages| packages.flatten());
    let packages = packages
        .unwrap_or_else(|error| panic!("{}: {error}; run `make test-embed`", folder.display()));
    let is_right = |at: &PathBuf| {
        at.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with(package))
    };
    let found = packages.map(|entry| entry.path()).find(is_right);
    let found = found.unwrap_or_else(|| panic!("{package} is not in {}", folder.display()));
    found.join(path).canonicalize().unwrap()
}

fn newest_node() -> PathBuf {
    program("", "node-linux-", "bin/node")
}

fn deno() -> PathBuf {
    program("@deno", "linux-", "deno")
}

fn bun() -> PathBuf {
    program("@oven", "bun-linux-", "bin/bun")
}

/// Both ways of answering imports: at once, and later. Then whatever is said in private.
async fn assert_same_in(runtime: impl Fn() -> Command) {
    for arguments in [&[][..], &["later"]] {
        let printed = host(runtime(), "host.js", arguments);
        assert_log_without_texts(&printed);
        assert_same(printed).await;
    }
    assert_unchanged(playing(runtime));
}

#[tokio::test]
#[ignore = "needs npm: make test-embed"]
async fn the_newest_node_prints_what_the_rust_host_makes() {
    assert_same_in(|| Command::new(newest_node())).await;
}

#[tokio::test]
#[ignore = "needs npm: make test-embed"]
async fn deno_prints_what_the_rust_host_makes() {
    assert_same_in(|| {
        let mut deno = Command::new(deno());
        deno.args(["run", "--quiet", "--allow-read", "--allow-env"]);
        deno
    })
    .await;
}

#[tokio::test]
#[ignore = "needs npm: make test-embed"]
async fn bun_prints_what_the_rust_host_makes() {
    assert_same_in(|| {
        let mut bun = Command::new(bun());
        bun.arg("run");
        bun
    })
    .await;
}

/// Calls, stores, and what may be seen where: the same tests as in Node.
fn test_in(mut runtime: Command, before: &str) {
    let tests = ["memories", "memory", "messages", "sqlite"];
    runtime.current_dir(project_file("packaging/npm/test"));
    runtime.args(tests.map(|name| format!("{before}{name}.test.js")));
    test_package(&mut runtime);
}

#[test]
#[ignore = "needs npm: make test-embed"]
fn the_package_passes_its_tests_in_deno() {
    let mut deno = Command::new(deno());
    deno.args(["test", "--allow-all", "--no-check"]);
    test_in(deno, "");
}

#[test]
#[ignore = "needs npm: make test-embed"]
fn the_package_passes_its_tests_in_bun() {
    let mut bun = Command::new(bun());
    bun.arg("test");
    test_in(bun, "./");
}

/// With the store in SQLite, which Node 20 does not have.
fn assert_stores_keep_the_contract(runtime: Command) {
    let printed = host(runtime, "conformance.js", &[]);
    assert_kept(&printed, &["MemoryStore", "SqliteStore"]);
}

#[test]
#[ignore = "needs npm: make test-embed"]
fn the_stores_keep_the_contract_in_the_newest_node() {
    assert_stores_keep_the_contract(Command::new(newest_node()));
}

#[test]
#[ignore = "needs npm: make test-embed"]
fn the_stores_keep_the_contract_in_deno() {
    let mut deno = Command::new(deno());
    deno.args(["run", "--quiet", "--allow-all"]);
    assert_stores_keep_the_contract(deno);
}

#[test]
#[ignore = "needs npm: make test-embed"]
fn the_stores_keep_the_contract_in_bun() {
    let mut bun = Command::new(bun());
    bun.arg("run");
    assert_stores_keep_the_contract(bun);
}

/// With the store in SQLite, which Node 20 does not have, and with the README's bot in Deno and Bun.
#[test]
#[ignore = "needs npm: make test-embed"]
fn the_package_passes_its_tests_in_the_newest_node() {
    let programs = [deno(), bun()];
    let folders = programs
        .iter()
        .filter_map(|program| program.parent().map(Path::to_owned));
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(folders.chain(env::split_paths(&path))).unwrap();
    let mut tests = package_tests();
    test_package(tests.env("NODE", newest_node()).env("PATH", path));
}
