//! The contract as it is.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;

use myao_contract::docs;
use myao_contract::imports::imports;
use myao_contract::project::{PAGE, RELEASED, WIT, component, path};
use myao_contract::released::{self, Compared};
use myao_contract::wit::Contract;

/// What the smallest component needs of a host.
const SUMMARIZER: &[&str] = &["errors", "llm", "log", "settings", "types"];
/// What the memory component needs beside it.
const MEMORY: &[&str] = &["recall", "storage"];
/// What the whole component needs beside that.
const BOT: &[&str] = &["chat"];

/// What Rust's standard library asks for, of either toolchain. The host answers with nothing in it.
const WASI: &[&str] = &[
    "cli/environment",
    "cli/exit",
    "cli/stderr",
    "cli/stdin",
    "cli/stdout",
    "io/error",
    "io/streams",
    "random/insecure-seed",
];
/// And that of rustup's.
const RUSTUP: &[&str] = &[
    "cli/terminal-input",
    "cli/terminal-output",
    "cli/terminal-stderr",
    "cli/terminal-stdin",
    "cli/terminal-stdout",
    "io/poll",
];
/// And that of Debian's, with Debian's C library (`scripts/debian-wasm-toolchain`).
const DEBIAN: &[&str] = &[
    "clocks/wall-clock",
    "filesystem/preopens",
    "filesystem/types",
];

/// Interfaces of a package, whatever its version.
fn interfaces(names: &[String], package: &str) -> BTreeSet<String> {
    let own = names.iter().filter_map(|name| name.strip_prefix(package));
    own.map(|name| name.split('@').next().unwrap_or(name).to_owned())
        .collect()
}

fn set(lists: &[&[&str]]) -> BTreeSet<String> {
    let names = lists.iter().copied().flatten();
    names.map(|name| (*name).to_owned()).collect()
}

fn assert_imports(name: &str, contract: &[&[&str]]) {
    let found = imports(&component(name)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(interfaces(&found, "myao:memory/"), set(contract), "{name}");
    let wasi = interfaces(&found, "wasi:");
    assert!(
        wasi == set(&[WASI, RUSTUP]) || wasi == set(&[WASI, DEBIAN]),
        "{name} asks WASI for {wasi:?}"
    );
    // And for nothing else.
    let others = found
        .iter()
        .filter(|name| !name.starts_with("myao:memory/") && !name.starts_with("wasi:"));
    assert_eq!(others.count(), 0, "{found:?}");
}

#[test]
fn the_whole_component_imports_exactly_this() {
    assert_imports("myao_bot", &[SUMMARIZER, MEMORY, BOT]);
}

#[test]
fn the_memory_component_imports_exactly_this() {
    assert_imports("myao_memory", &[SUMMARIZER, MEMORY]);
}

#[test]
fn the_smallest_component_imports_exactly_this() {
    assert_imports("myao_summarizer", &[SUMMARIZER]);
}

#[test]
fn the_contract_fits_its_version() {
    let compared = released::check(&path(WIT), &path(RELEASED));
    if compared.unwrap_or_else(|error| panic!("{error}")) == Compared::NothingReleased {
        // Past the test harness, which hides what a passing test prints.
        let said = "no contract has been released yet: wit/ was compared with nothing\n";
        std::io::stderr().write_all(said.as_bytes()).unwrap();
    }
}

#[test]
fn the_page_is_that_of_the_contract() {
    let contract = Contract::read(&path(WIT)).unwrap();
    let page = docs::page(&contract).unwrap();
    let there = fs::read_to_string(path(PAGE)).unwrap_or_default();
    assert!(
        page == there,
        "{PAGE} is not what wit/ says: run `make docs`"
    );
}
