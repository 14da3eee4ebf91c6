//! Every fuzz target gets its seeds and inputs made from them: the same in every run. `make fuzz` looks further.

#![allow(clippy::unwrap_used, missing_docs)]

use std::io::Write as _;
use std::panic::{catch_unwind, resume_unwind};
use std::path::Path;

use myao_tests::fuzzing::mutation::input;
use myao_tests::fuzzing::{TARGETS, Target};
use myao_tests::project_file;

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = project_file("tests/fuzz/seeds").join(name);
    let files = |folder: &Path| std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = files(&folder).map(|file| file.unwrap().path()).collect();
    paths.sort();
    let seeds: Vec<Vec<u8>> = paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect();
    assert!(!seeds.is_empty(), "{} holds no seeds", folder.display());
    seeds
}

/// Standard error itself, which tests do not capture.
fn tell(line: &str) {
    let mut stderr = std::io::stderr();
    writeln!(stderr, "{line}").unwrap();
}

fn run(name: &str, target: Target, count: u32) {
    let seeds = seeds(name);
    for number in 0..u64::from(count) {
        let data = input(&seeds, number);
        if let Err(panic) = catch_unwind(|| target(&data)) {
            tell(&format!(
                "fuzz target {name}, input {number}: \"{}\"",
                data.escape_ascii()
            ));
            resume_unwind(panic);
        }
    }
    tell(&format!("fuzz target {name}: {count} inputs"));
}

fn run_target(wanted: &str) {
    let (name, target, count) = TARGETS.iter().find(|(name, ..)| *name == wanted).unwrap();
    run(name, *target, *count);
}

macro_rules! targets {
    ($($name:ident),+ $(,)?) => {
        $(
            #[test]
            fn $name() {
                run_target(stringify!($name));
            }
        )+

        #[test]
        fn every_target_is_run_here_and_by_cargo_fuzz() {
            let names = [$(stringify!($name)),+];
            let targets: Vec<&str> = TARGETS.iter().map(|(name, ..)| *name).collect();
            assert_eq!(names.as_slice(), targets);
            let manifest = std::fs::read_to_string(project_file("tests/fuzz/Cargo.toml")).unwrap();
            for name in names {
                let calls = format!("myao_tests::fuzzing::{name}(data)");
                let path = format!("tests/fuzz/fuzz_targets/{name}.rs");
                let source = std::fs::read_to_string(project_file(&path)).unwrap();
                assert!(source.contains(&calls), "{path}");
                assert!(manifest.contains(&format!("name = \"{name}\"")), "{name}");
            }
        }
    };
}

targets!(
    config,
    context_json,
    events,
    markdown,
    model_streams,
    mrkdwn,
    prompts,
    python_bot,
    requests,
    slack_export,
    slack_zip,
    templates,
);
