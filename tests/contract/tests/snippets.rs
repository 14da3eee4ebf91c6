//! The code in the embedding guide stands in files that tests run.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;

use myao_contract::project::path;

const GUIDE: &str = "docs/embedding.md";
const SOURCE: &str = "<!-- from ";

/// The lines without the white space that all of them begin with.
fn dedented(text: &str) -> String {
    let indent = |line: &&str| line.len() - line.trim_start().len();
    let lines = || text.lines().filter(|line| !line.trim().is_empty());
    let common = lines().map(|line| indent(&line)).min().unwrap_or(0);
    let cut = text.lines().map(|line| line.get(common..).unwrap_or(""));
    cut.collect::<Vec<_>>().join("\n")
}

/// Whether consecutive lines of a file are the snippet, apart from how far they are indented.
fn stands_in(snippet: &str, file: &str) -> bool {
    let lines: Vec<&str> = file.lines().collect();
    let length = snippet.lines().count();
    let snippet = dedented(snippet);
    lines
        .windows(length)
        .any(|window| dedented(&window.join("\n")) == snippet)
}

#[test]
fn every_snippet_of_the_guide_stands_in_its_file() {
    let guide = fs::read_to_string(path(GUIDE)).unwrap();
    let mut found = 0;
    for part in guide.split(SOURCE).skip(1) {
        let (source, rest) = part.split_once(" -->").unwrap();
        let fence = rest.split("```").nth(1).unwrap();
        let (_, snippet) = fence.split_once('\n').unwrap();
        let file = fs::read_to_string(path(source));
        let file = file.unwrap_or_else(|error| panic!("{source}: {error}"));
        let snippet = snippet.trim_end();
        assert!(
            stands_in(snippet, &file),
            "{GUIDE} says that this stands in {source}:\n{snippet}"
        );
        found += 1;
    }
    assert!(found > 8, "only {found} snippets have a source");
    // What the file of a snippet is, is said for all code but one command, which is the Makefile's and cargo's.
    assert_eq!(guide.matches("\n```").count(), 2 * (found + 1));
}

#[test]
fn a_changed_snippet_is_seen() {
    let file = "fn a() {\n    let b = 1;\n    let c = 2;\n}\n";
    assert!(stands_in("let b = 1;\nlet c = 2;", file));
    assert!(!stands_in("let b = 1;\nlet c = 3;", file));
    assert!(!stands_in("let b = 1;\n    let c = 2;", file));
}
