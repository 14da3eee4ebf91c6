//! `docs/specification.md` names a test for every row of the specification: they all exist.

#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeSet;
use std::path::Path;

use myao_tests::{project_file, read_project_file};

/// The names of all functions in a folder's Rust files.
fn functions(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            functions(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let after_fn = text.split("fn ").skip(1);
            names.extend(after_fn.filter_map(|rest| Some(rest.split_once('(')?.0.to_owned())));
        }
    }
}

#[test]
fn every_test_that_the_table_names_exists() {
    let mut there = BTreeSet::new();
    for folder in [
        "guest/src",
        "guest/tests",
        "host",
        "tests/conformance",
        "tests/tests",
    ] {
        functions(&project_file(folder), &mut there);
    }
    let document = read_project_file("docs/specification.md");
    let rows: Vec<&str> = document
        .lines()
        .filter(|line| line.starts_with("| "))
        .collect();
    assert!(rows.len() > 60, "the tables are read");
    for row in rows {
        let last = row.trim_end_matches(" |").rsplit("| ").next().unwrap();
        let named: Vec<&str> = last.split('`').skip(1).step_by(2).collect();
        let is_head = ["test", "number"].contains(&last);
        assert!(is_head || !named.is_empty(), "no test is named: {row}");
        for name in named {
            assert!(there.contains(name), "there is no test `{name}`: {row}");
        }
    }
}
