//! What a run leaves: what its report says, and what is in the database.

use myao_tests::export::time;
use myao_tests::program::Program;
use serde_json::Value;

/// What became of one generation run.
#[derive(Debug)]
pub(crate) struct Generated {
    pub(crate) code: Option<i32>,
    pub(crate) report: Value,
}

/// A generation run, so many minutes after the conversation began.
pub(crate) fn generate(program: &Program, minute: i64) -> Generated {
    let ran = program.run(&["--json", "generate", "--now", &time(minute)]);
    assert_eq!(ran.stderr, "", "{ran:#?}");
    Generated {
        code: ran.code,
        report: serde_json::from_str(&ran.stdout).unwrap(),
    }
}

impl Generated {
    /// The outcome of each entry of the report.
    pub(crate) fn outcomes(&self) -> Vec<&str> {
        let entries = self.report["entries"].as_array().unwrap().iter();
        entries
            .map(|entry| entry["outcome"].as_str().unwrap())
            .collect()
    }

    /// What was made, in order.
    pub(crate) fn made(&self) -> Vec<&Value> {
        let entries = self.report["entries"].as_array().unwrap().iter();
        entries
            .flat_map(|entry| entry["made"].as_array().unwrap())
            .collect()
    }

    /// Why what failed did.
    pub(crate) fn reasons(&self) -> Vec<&str> {
        let entries = self.report["entries"].as_array().unwrap().iter();
        entries
            .filter_map(|entry| entry["reason"].as_str())
            .collect()
    }
}

/// One saved memory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Saved {
    pub(crate) scope: String,
    pub(crate) memory_type: String,
    pub(crate) engine: String,
    pub(crate) content: String,
}

/// All newest memories, in the order in which the program lists them.
pub(crate) fn saved(program: &Program) -> Vec<Saved> {
    let list = program.run(&["--json", "memory", "list"]).json();
    let memories = list.as_array().unwrap().iter();
    memories
        .map(|memory| {
            let text = |key: &str| memory[key].as_str().unwrap().to_owned();
            Saved {
                scope: text("scope"),
                memory_type: text("memory_type"),
                engine: text("engine"),
                content: text("content"),
            }
        })
        .collect()
}
