//! Tests of the documents: commands run and print what is shown, configurations are valid, code compiles (as doc tests),
//! links and names lead somewhere, lines are short. [`blocks`] says how a document marks its blocks.
//!
//! Each document has its own folder, in which its blocks are tried from top to bottom.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod blocks;
mod commands;
mod document;
mod enums;
mod facts;
mod features;
mod imports;
mod lines;
mod model;
mod names;
mod operator;
mod packaged;
mod place;
mod shown;
#[path = "../specification.rs"]
mod specification;
mod store_files;

use document::{Document, documents};
use myao_tests::read_project_file;
use place::Place;

/// Fails with the list of all faults, each with its place.
#[track_caller]
fn assert_none(faults: &[String]) {
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// What is wrong with the blocks of a document.
fn block_faults(document: &Document) -> Vec<String> {
    if document.blocks.is_empty() {
        return Vec::new();
    }
    let place = Place::new();
    let language = if document.path.ends_with(".ja.md") {
        "ja"
    } else {
        "en"
    };
    place.run_demo(language);
    let mut faults = Vec::new();
    for block in &document.blocks {
        let found = blocks::faults(&document.path, block, &place);
        faults.extend(
            found
                .iter()
                .map(|fault| format!("{}: {fault}", block.place)),
        );
    }
    faults
}

#[test]
fn every_block_of_the_documents_is_as_it_says() {
    let documents = documents();
    assert!(documents.len() > 4, "the documents are read");
    let faults: Vec<String> = std::thread::scope(|scope| {
        let checks: Vec<_> = documents
            .iter()
            .map(|document| scope.spawn(|| block_faults(document)))
            .collect();
        let found = checks.into_iter().map(|check| check.join().unwrap());
        found.flatten().collect()
    });
    assert_none(&faults);
}

#[test]
fn every_name_and_link_of_the_documents_leads_somewhere() {
    let all = documents();
    let place = Place::new();
    let mut faults = Vec::new();
    for document in &all {
        for link in &document.links {
            let fault = names::link_fault(document, link, &all);
            faults.extend(fault.map(|fault| format!("{}: {fault}", link.place)));
        }
        for span in &document.spans {
            let fault = names::span_fault(span, &place);
            faults.extend(fault.map(|fault| format!("{}: `{}`: {fault}", span.place, span.text)));
        }
    }
    assert_none(&faults);
}

#[test]
fn every_line_of_the_documents_is_one_sentence_and_not_too_wide() {
    let all = documents().into_iter();
    let faults: Vec<String> = all
        .flat_map(|document| lines::faults(&document.path, &read_project_file(&document.path)))
        .collect();
    assert_none(&faults);
}

#[test]
fn the_way_of_a_message_is_told_step_by_step() {
    let mut all = documents().into_iter();
    let map = all
        .find(|document| document.path == "docs/architecture.md")
        .unwrap();
    for heading in [
        "from-the-socket-to-a-memory",
        "from-a-question-to-its-answer",
    ] {
        let spans = map.spans.iter().filter(|span| span.under == heading);
        let steps = spans.filter(|span| names::step(&span.text).is_some());
        assert!(steps.count() >= 10, "{heading}: the steps are read");
    }
}

/// Blocks with one fault each, and a word of the message about it.
const FAULTY: [(&str, &str); 16] = [
    ("```\na\n```", "no language"),
    ("```elvish\na\n```", "nothing checks `elvish`"),
    ("    indented\n", "no language"),
    ("```sh\ntrue\nfalse\ntrue\n```", "line 2 fails"),
    ("```sh\nmyao recall\n```", "recall"),
    ("```sh not-run\nmyao recall\n```", "recall"),
    ("```sh not-run\nsudo -u myao make coffee\n```", "coffee"),
    ("```sh not-run\nif\n```", "bash cannot read it"),
    ("```text\nno command\n```", "text picture"),
    ("```text\n$ echo a\nb\n```", "prints something else"),
    ("```text picture\n guest/nothing\n```", "guest/nothing"),
    ("```yaml\nmemory: { recall: true }\n```", "recall"),
    ("```json\n{\n```", "EOF"),
    ("```python\ndef\n```", "SyntaxError"),
    (
        "<!-- from wit/world.wit -->\n```wit\nworld summarizer {\nimport llm;\n```",
        "wit/world.wit",
    ),
    (
        "<!-- from wit/world.wit -->\n```wit\nworld summarizer {\n    import settings;\n```",
        "wit/world.wit",
    ),
];

#[test]
fn a_block_with_a_fault_is_found() {
    let place = Place::new();
    for (text, word) in FAULTY {
        let document = Document::parse("docs/x.md".to_owned(), text);
        let found = blocks::faults("docs/x.md", &document.blocks[0], &place);
        assert!(found.concat().contains(word), "{text}: {found:?}");
    }
    let rust = Document::parse("docs/x.md".to_owned(), "```rust\n```");
    let found = blocks::faults("docs/x.md", &rust.blocks[0], &place);
    assert!(found.concat().contains("nothing compiles it"), "{found:?}");
}

#[test]
fn a_block_without_a_fault_passes() {
    let place = Place::new();
    let text = "```yaml\n# a.yaml\ntimezone: Asia/Tokyo\n```\n\
        ```sh\nmyao --config a.yaml import export.zip > /dev/null\n```\n\
        ```text\n$ myao --config a.yaml --json memory list\n[]\n```\n\
        ```sh not-run\ncd /srv && sudo -u myao myao --config a.yaml run   # for ever\nmake demo\n```\n\
        <!-- from wit/world.wit -->\n```wit\nworld summarizer {\n…\nimport settings;\nimport log;\n```\n";
    let document = Document::parse("docs/x.md".to_owned(), text);
    assert_eq!(document.blocks.len(), 5);
    for block in &document.blocks {
        let found = blocks::faults("docs/x.md", block, &place);
        assert!(found.is_empty(), "{}: {found:?}", block.text);
    }
}
