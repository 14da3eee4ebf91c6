//! A workspace of years: pages stay small and quick.

use std::time::{Duration, Instant};

use myao_tests::export::{post, program_with};
use myao_tests::page::Served;
use myao_tests::program::Program;
use rusqlite::Connection;

/// As much as a page may weigh.
const BYTES: usize = 100_000;

/// 1,000 channels with 100,000 versions between them, one of which has 10,000, and 2,000 threads.
fn grown() -> Program {
    let posts = [
        post("general", 0, "ann", "We decided to take Beacon on 4 March."),
        post("general", 1, "bob", "I will order it by 13 March.").in_thread(0),
    ];
    let program = program_with("", &posts);
    program
        .run(&["generate", "--now", "2026-03-02T09:00:00Z"])
        .succeeded();
    let database = Connection::open(program.path("myao.db")).unwrap();
    database.execute_batch(include_str!("grow.sql")).unwrap();
    program
}

#[test]
fn pages_of_a_large_workspace_are_small() {
    let served = Served::opened(grown());
    let twin = served.page("/workspace.json").json();
    assert_eq!(
        (
            twin["pages"].as_u64(),
            twin["channels"][0]["versions"].as_u64()
        ),
        (Some(20), Some(90))
    );
    let mut slowest = Duration::ZERO;
    for path in [
        "/workspace",
        "/workspace?page=20",
        "/channel/CGENERAL",
        "/channel/CGENERAL?page=900",
        "/channel/C0500",
        "/memory/1",
        "/search?q=Beacon",
        "/ask",
        "/upkeep",
        "/answers",
    ] {
        let began = Instant::now();
        let page = served.page(path);
        let took = began.elapsed();
        eprintln!("{path}: {} bytes, {took:?}", page.body.len());
        assert!(
            page.body.len() <= BYTES,
            "{path}: {} bytes",
            page.body.len()
        );
        slowest = slowest.max(took);
    }
    // 100 ms on a machine with nothing else to do; tests run side by side.
    assert!(slowest < Duration::from_secs(2), "{slowest:?}");
}
