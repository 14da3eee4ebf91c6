//! Measures how much of what was said `myao` finds and answers: `make eval`.
//!
//! It drives the program from outside over a data set, asks its questions, judges the answers, and compares with plain BM25
//! over the same messages. `tests/eval/README.md` describes the form of data sets and the rules.
#![allow(clippy::print_stdout)]

mod asked;
mod bm25;
mod data;
mod export;
mod figures;
mod judge;
mod own_text;
mod page;
mod pattern;
mod program;
mod recorder;
mod replay;
mod state;
mod table;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Parser;

use figures::Figures;
use program::Setup;

/// Measures how much of what was said myao finds and answers, beside plain BM25.
#[derive(Parser)]
struct Arguments {
    /// The program.
    #[arg(long, value_name = "FILE")]
    myao: PathBuf,
    /// The data set: a folder with conversations.jsonl and questions.jsonl.
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// The configuration of the models [default: no model].
    #[arg(long, value_name = "FILE.yaml")]
    config: Option<PathBuf>,
    /// Find messages by their meaning, too: the section `recall` of a configuration.
    #[arg(long, value_name = "FILE.yaml")]
    recall: Option<PathBuf>,
    /// Write what came of each question.
    #[arg(long, value_name = "FILE.json")]
    json: Option<PathBuf>,
    /// Write the tables into this page.
    #[arg(long, value_name = "FILE.md")]
    write: Option<PathBuf>,
    /// Ask only the questions of this kind; may be given several times.
    #[arg(long, value_name = "KIND")]
    kind: Vec<String>,
    /// Leaks are counted, and are no failure.
    #[arg(long)]
    allow_leaks: bool,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let (config, recall) = (arguments.config.as_deref(), arguments.recall.as_deref());
    let setup = Setup::new(&arguments.myao, config, recall)?;
    let parts = setup.parts()?;
    let mut figures = Figures::default();
    for (name, mut talk) in data::read(&arguments.data)? {
        talk.questions.retain(|question| {
            arguments.kind.is_empty() || arguments.kind.contains(&question.kind)
        });
        eprintln!("==> {name}: {} questions", talk.questions.len());
        let replayed = replay::replay(&setup, parts, &talk);
        figures.add(replayed.with_context(|| format!("workspace {name}"))?);
    }
    let tables = figures.tables();
    println!("{tables}");
    if let Some(path) = &arguments.json {
        let json = serde_json::to_string_pretty(&figures.asked)?;
        fs::write(path, json).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if let Some(path) = &arguments.write {
        page::write(path, &tables)?;
    }
    let missing: Vec<&str> = parts.missing().collect();
    if !missing.is_empty() {
        println!(
            "NOT RUN: this program has no `myao {}`",
            missing.join("`, no `myao ")
        );
    }
    let leaks = figures.leaks();
    if leaks > 0 {
        println!("LEAKS: {leaks} questions show what may not be shown");
    }
    let is_good = missing.is_empty() && (leaks == 0 || arguments.allow_leaks);
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
