//! Standard output of all commands: JSON, help, and a reader that goes away.

use std::fs::File;
use std::process::Stdio;

use myao_tests::export::{post, program_with};
use myao_tests::program::{Program, Ran, golden_context};

const NOW: &str = "--now=2026-03-02T05:00:00Z";

/// Every command, in an order in which each has something to print.
const COMMANDS: [&[&str]; 9] = [
    &["import", "export"],
    &["backfill", "--until=2026-03-02T03:00:00Z"],
    &["generate", NOW],
    &["memory", "list"],
    &["memory", "show", "general"],
    &["memory", "history", "general"],
    &["memory", "diff", "general", "1", "1"],
    &[
        "prompt",
        "--scope=channel",
        "--memory-type=short-term",
        "--channel=general",
        NOW,
    ],
    &[
        "summarize",
        "--scope=channel",
        "--memory-type=short-term",
        "--channel=general",
        NOW,
    ],
];

fn program() -> Program {
    program_with(
        "",
        &[post("general", 0, "ann", "We release Harbour on 4 March.")],
    )
}

#[test]
fn every_key_of_the_configuration_stands_whole_on_its_line() {
    let program = program();
    let keys = program.run(&["--json", "config", "keys"]).json();
    let listed = program.run(&["config", "keys"]).output();
    let first_words: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    for key in keys.as_array().unwrap() {
        let key = key["key"].as_str().unwrap();
        assert!(first_words.contains(&key), "{key}\n{listed}");
    }
    assert!(!listed.contains("]("), "{listed}");
}

#[test]
fn every_command_prints_json_that_parses() {
    let program = program();
    for command in COMMANDS {
        let json = program.run(&[&["--json"], command].concat()).json();
        assert!(json.is_object() || json.is_array(), "{command:?}: {json}");
    }
}

#[test]
fn no_command_writes_colours_or_progress_where_nobody_watches() {
    let program = program();
    for command in COMMANDS {
        let ran = program.run(command);
        assert!(
            !ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\r'),
            "{ran:#?}"
        );
        ran.succeeded();
    }
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let program = program();
    for json in [&[][..], &["--json"]] {
        for command in COMMANDS {
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            let mut run = program.command(&[json, command].concat());
            let child = run.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
            let output = child.wait_with_output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(
                (output.status.code(), stderr.as_str()),
                (Some(0), ""),
                "{command:?}"
            );
        }
    }
    // The work is done all the same.
    assert!(program.memories().contains("4 March"));
}

#[test]
fn output_that_cannot_be_written_is_told() {
    let program = program();
    for json in [&[][..], &["--json"]] {
        for command in COMMANDS {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let mut run = program.command(&[json, command].concat());
            let child = run.stdout(full).stderr(Stdio::piped()).spawn().unwrap();
            let output = child.wait_with_output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{command:?}: {stderr}");
            assert!(
                stderr.starts_with("myao: cannot write to standard output: "),
                "{stderr}"
            );
            assert_eq!(stderr.lines().count(), 1, "{stderr}");
        }
    }
}

#[test]
fn every_commands_help_names_its_arguments() {
    let program = Program::default();
    let input = [
        "--scope",
        "--memory-type",
        "--channel",
        "--thread",
        "--context",
        "--existing-memory",
        "--now",
    ];
    for (command, words) in [
        (
            &[][..],
            &[
                "import",
                "backfill",
                "generate",
                "memory",
                "prompt",
                "summarize",
            ][..],
        ),
        (&["import"], &["<PATH>"]),
        (&["backfill"], &["--until", "--keep-going"]),
        (&["generate"], &["--now", "DATE|TIME", "--retry"]),
        (&["memory"], &["list", "show", "history", "diff"]),
        (&["memory", "list"], &[]),
        (&["memory", "show"], &["<SCOPE_ID>"]),
        (&["memory", "history"], &["<SCOPE_ID>", "--long-term"]),
        (
            &["memory", "diff"],
            &["<SCOPE_ID>", "[V1]", "[V2]", "--long-term"],
        ),
        (&["prompt"], &input),
        (&["summarize"], &input),
    ] {
        let help = program.run(&[command, &["--help"]].concat()).output();
        let everywhere = [
            "--config",
            "--component",
            "--json",
            "--legacy-workspace-short-term",
        ];
        for word in words.iter().chain(&everywhere) {
            assert!(
                help.contains(word),
                "no {word} in the help of {command:?}: {help}"
            );
        }
    }
}

#[test]
fn global_options_may_stand_behind_the_command() {
    let program = Program::default();
    let context = golden_context();
    let prompt = [
        "prompt",
        "--scope=channel",
        "--memory-type=short-term",
        "--context",
        &context,
    ];
    let json = program.run(&[&prompt[..], &["--json"]].concat()).json();
    assert!(json["prompt"].is_string());
}

#[test]
fn without_a_configuration_the_defaults_and_myao_db_are_used() {
    let program = program();
    std::fs::remove_file(program.path("myao.yaml")).unwrap();
    // `"$@"` begins with the program and `--config myao.yaml`.
    let script = r#"myao=$1; shift 3; exec "$myao" "$@""#;
    let output = Ran::of(&mut program.shell(script, &["memory", "list"])).output();
    assert_eq!(output, "There are no memories yet. Next: myao backfill\n");
}

#[test]
fn the_next_step_is_told_as_it_is_to_be_typed() {
    let program = program();
    std::fs::rename(program.path("myao.yaml"), program.path("team's own.yaml")).unwrap();
    let script = r#"myao=$1; shift 3; exec "$myao" --config "team's own.yaml" "$@""#;
    let output = Ran::of(&mut program.shell(script, &["memory", "list"])).output();
    let next = output.trim_end().split_once("Next: ").unwrap().1;
    assert_eq!(next, r"myao --config 'team'\''s own.yaml' backfill");
    // What is typed so runs.
    let typed = format!(r#"myao=$1; myao() {{ "$myao" "$@"; }}; {next}"#);
    Ran::of(&mut program.shell(&typed, &[])).succeeded();
}
