//! What an embedder gets with the library `myao-plugin`, and what is in the packages of all crates.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;

use crate::project::{cargo, path};

const LIBRARY: &str = "myao-plugin";
/// The folders of all crates that may be published, and their names.
const CRATES: [(&str, &str); 14] = [
    ("host/bot", "myao-bot"),
    ("host/cli", "myao"),
    ("host/embed", "myao-embed"),
    ("host/import", "myao-import"),
    ("host/llm", "myao-llm"),
    ("host/page", "myao-page"),
    ("host/plugin", LIBRARY),
    ("host/postgres", "myao-postgres"),
    ("host/secrets", "myao-secrets"),
    ("host/slack", "myao-slack"),
    ("host/sql", "myao-sql"),
    ("host/sqlite", "myao-sqlite"),
    ("host/terms", "myao-terms"),
    ("host/testkit", "myao-testkit"),
];
/// How many crates it may need, procedural macros included.
const MOST_CRATES: usize = 165;
/// Crates that an embedder must not have to take.
const NOT_NEEDED: [&str; 8] = [
    "clap",
    "reqwest",
    "rusqlite",
    "tokio-postgres",
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
    let files = packaged(LIBRARY);
    assert!(files.contains("wit/world.wit"), "{files:?}");
}

#[test]
fn the_list_of_crates_is_complete() {
    let folders = fs::read_dir(path("host")).unwrap();
    let folders = folders.map(|entry| entry.unwrap().path());
    let crates = folders.filter(|folder| folder.join("Cargo.toml").exists());
    assert_eq!(crates.count(), CRATES.len());
}

#[test]
fn every_file_that_a_source_includes_is_in_its_package() {
    let (mut missing, mut seen) = (Vec::new(), 0);
    for (folder, name) in CRATES {
        let files = packaged(name);
        assert!(files.contains("src/lib.rs"), "{name}: {files:?}");
        for source in files.iter().filter(|file| file.ends_with(".rs")) {
            let text = fs::read_to_string(path(folder).join(source)).unwrap();
            for included in included(&text) {
                seen += 1;
                let file = resolved(source, included);
                if !files.contains(&file) {
                    missing.push(format!("{name}: {file}, of {source}"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(seen > 50, "only {seen} were found");
}

#[test]
fn included_files_are_found() {
    let source = "#[doc = include_str!(\"a.md\")]\nlet b = include_str!(\n    \"../b.sql\",\n);";
    assert_eq!(included(source), ["../b.sql"]);
    assert_eq!(resolved("src/c/d.rs", "../b.sql"), "src/b.sql");
    assert_eq!(resolved("src/c.rs", "sql/b.sql"), "src/sql/b.sql");
}

/// The files of a crate's package.
fn packaged(name: &str) -> BTreeSet<String> {
    let list = ["package", "--list", "--allow-dirty", "--package", name];
    let files = cargo(&list).unwrap();
    files.lines().map(str::to_owned).collect()
}

/// The files whose text becomes part of a source, except as documentation: that is of the tests.
fn included(source: &str) -> Vec<&str> {
    let mut files = Vec::new();
    let mut before = "";
    for part in source.split("include_str!(") {
        let file = part.trim_start().strip_prefix('"');
        let file = file.and_then(|rest| rest.split('"').next());
        if !before.ends_with("#[doc = ") {
            files.extend(file);
        }
        before = part;
    }
    files
}

/// The path of an included file in the package.
fn resolved(source: &str, included: &str) -> String {
    let mut steps: Vec<&str> = source.split('/').collect();
    steps.pop();
    for step in included.split('/') {
        if step == ".." {
            steps.pop();
        } else {
            steps.push(step);
        }
    }
    steps.join("/")
}
