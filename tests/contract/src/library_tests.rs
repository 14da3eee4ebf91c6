//! What an embedder gets with the library `myao-plugin`.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use crate::project::cargo;

const LIBRARY: &str = "myao-plugin";
/// How many crates it may need, procedural macros included.
const MOST_CRATES: usize = 165;
/// Crates that an embedder must not have to take.
const NOT_NEEDED: [&str; 7] = [
    "clap",
    "reqwest",
    "rusqlite",
    "axum",
    "zip",
    "tiktoken-rs",
    "opentelemetry",
];

#[test]
fn an_embedder_takes_few_crates_and_none_of_the_program() {
    let form = ["--prefix", "none", "--format", "{p}", "--no-dedupe"];
    let tree = ["tree", "--package", LIBRARY, "--edges", "normal"];
    let tree = cargo(&[&tree[..], &form].concat()).unwrap();
    let crates: BTreeSet<&str> = tree.lines().collect();
    assert!(
        (50..=MOST_CRATES).contains(&crates.len()),
        "{} crates",
        crates.len()
    );
    let names: BTreeSet<&str> = crates
        .iter()
        .filter_map(|line| line.split(' ').next())
        .collect();
    for name in NOT_NEEDED {
        assert!(!names.contains(name), "{name}");
    }
}

#[test]
fn the_contract_is_in_the_package() {
    let list = ["package", "--list", "--allow-dirty", "--package", LIBRARY];
    let files = cargo(&list).unwrap();
    assert!(files.lines().any(|file| file == "wit/world.wit"), "{files}");
}
