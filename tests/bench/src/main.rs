//! Measures what is promised of speed and size, each against something else in the same run, and writes
//! the table into `docs/benchmarks.md`.
//!
//! `myao-bench` measures everything and writes the table; `myao-bench FAMILY …` measures some families and
//! only prints. A row that misses its limit is marked, and is no error: times belong to a machine.
#![allow(clippy::print_stdout)]

use anyhow::{Result, bail};

use myao_bench::page;
use myao_bench::row::Row;
use myao_bench::rows::{FAMILIES, waiting};

fn main() -> Result<()> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.iter().any(|argument| argument == waiting::ARGUMENT) {
        return waiting::wait();
    }
    if let Some(unknown) = wanted
        .iter()
        .find(|name| !FAMILIES.iter().any(|family| family.name == **name))
    {
        let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
        bail!(
            "there is no family {unknown}; there are {}",
            known.join(", ")
        );
    }
    let mut rows = Vec::new();
    for family in FAMILIES {
        if wanted.is_empty() || wanted.iter().any(|name| name == family.name) {
            println!("==> {}", family.name);
            let measured = (family.measure)()?;
            measured.iter().for_each(print);
            rows.extend(measured);
        }
    }
    if wanted.is_empty() {
        let path = page::write(&rows)?;
        println!("==> {}", path.display());
    }
    let missed = rows.iter().filter(|row| !row.is_reached()).count();
    println!("{} rows, {missed} missed", rows.len());
    Ok(())
}

fn print(row: &Row) {
    println!(
        "{} / {}: {} ({}, {}): {}",
        row.what,
        row.against,
        row.measured,
        row.limit,
        row.verdict().trim_matches('*'),
        row.detail
    );
}
