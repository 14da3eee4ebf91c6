//! The operator sees everything, so only the command line is the operator (docs/architecture.md).

use std::fs;
use std::path::Path;

use myao_tests::project_file;

/// What stands between the command line and the store, and works for people and events.
const CRATES: [&str; 5] = [
    "host/bot/src",
    "host/import/src",
    "host/llm/src",
    "host/page/src",
    "host/slack/src",
];

#[test]
fn only_the_command_line_takes_the_operators_place() {
    let mut faults = Vec::new();
    for folder in CRATES {
        let read = look(&project_file(folder), &mut faults);
        assert!(read > 3, "{folder} is read");
    }
    super::assert_none(&faults);
    let in_cli = look(&project_file("host/cli/src"), &mut faults);
    assert!(
        in_cli > 3 && !faults.is_empty(),
        "what is looked for is there"
    );
}

/// Adds the places at which production code names the operator's place, and returns how many files there are.
fn look(folder: &Path, faults: &mut Vec<String>) -> usize {
    let mut read = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        if stem.ends_with("tests") || stem == "testing" {
            continue;
        }
        if path.is_dir() {
            read += look(&path, faults);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            read += 1;
            let text = fs::read_to_string(&path).unwrap();
            let production = text.split("#[cfg(test)]\nmod ").next().unwrap();
            let named = production.lines().enumerate().filter(|(_, line)| {
                let code = line.split("//").next().unwrap();
                // Whose pin it is, is no place.
                code.replace("PinnedBy::Operator", "").contains("Operator")
            });
            faults.extend(
                named.map(|(at, line)| format!("{}:{}: {}", path.display(), at + 1, line.trim())),
            );
        }
    }
    read
}
