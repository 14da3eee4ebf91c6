//! The contract as it is.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;

use myao_contract::imports::imports;
use myao_contract::project::{PAGE, RELEASED, WIT, component, path};
use myao_contract::wit::Contract;
use myao_contract::{docs, released};

/// What each component needs of a host.
const MEMORY: [&str; 7] = [
    "myao:memory/errors@0.1.0",
    "myao:memory/llm@0.1.0",
    "myao:memory/log@0.1.0",
    "myao:memory/settings@0.1.0",
    "myao:memory/slack@0.1.0",
    "myao:memory/storage@0.1.0",
    "myao:memory/types@0.1.0",
];
const SUMMARIZER: [&str; 5] = [
    "myao:memory/errors@0.1.0",
    "myao:memory/llm@0.1.0",
    "myao:memory/log@0.1.0",
    "myao:memory/settings@0.1.0",
    "myao:memory/types@0.1.0",
];

fn assert_imports(name: &str, contract: &[&str]) {
    let found = imports(&component(name)).unwrap_or_else(|error| panic!("{error}"));
    println!("{found:#?}");
    let (own, wasi): (Vec<_>, Vec<_>) = found.iter().partition(|name| name.starts_with("myao:"));
    assert_eq!(own, contract, "{name}");
    println!("{wasi:?}");
}

#[test]
fn the_memory_component_imports_exactly_this() {
    assert_imports("myao_memory", &MEMORY);
}

#[test]
fn the_smallest_component_imports_exactly_this() {
    assert_imports("myao_summarizer", &SUMMARIZER);
}

#[test]
fn the_contract_fits_its_version() {
    let fits = released::check(&path(WIT), &path(RELEASED));
    fits.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_page_is_that_of_the_contract() {
    let contract = Contract::read(&path(WIT)).unwrap();
    let page = docs::page(&contract).unwrap();
    let there = fs::read_to_string(path(PAGE)).unwrap_or_default();
    assert!(
        page == there,
        "{PAGE} is not what wit/ says: run `make wit-docs`"
    );
}
