//! The web page, asked over HTTP as a browser asks.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod access;
mod asking;
mod changing;
mod chromium;
mod hostile;
mod pages;
mod scale;
mod upkeep;

use std::fs;
use std::sync::OnceLock;

use myao_tests::kills::workspace;
use myao_tests::page::{Answer, Served};
use myao_tests::program::{Program, demo_export};

/// The demo's workspace with its memories, opened.
fn demo() -> Served {
    Served::opened(demo_program())
}

/// A workspace without anything.
fn empty() -> Program {
    let program = Program::default();
    drop(workspace(&program));
    program
}

/// The demo's, not served yet.
fn demo_program() -> Program {
    static DATABASE: OnceLock<Vec<u8>> = OnceLock::new();
    let config = "timezone: Asia/Tokyo\n";
    let database = DATABASE.get_or_init(|| {
        let program = Program::with_config(config);
        program.run(&["import", &demo_export()]).succeeded();
        let _ = program.run(&["backfill"]).output();
        fs::read(program.path("myao.db")).unwrap()
    });
    let program = Program::with_config(config);
    program.write("myao.db", database);
    program
}

/// The text of a page without its tags.
fn words(answer: &Answer) -> String {
    let mut text = String::new();
    let mut is_tag = false;
    for c in answer.body.chars() {
        match c {
            '<' => is_tag = true,
            '>' => is_tag = false,
            c if !is_tag => text.push(c),
            _ => {}
        }
    }
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"");
    text.replace("&amp;", "&")
}

#[track_caller]
fn has(answer: &Answer, text: &str) {
    let shown = words(answer);
    assert!(shown.contains(text), "no `{text}` in: {shown}");
}
