//! What a command line asks for and cannot have: names, times, contexts, components.

use std::fs;

use myao_tests::export::{post, program_with, ts};
use myao_tests::program::{Program, golden_context};
use myao_tests::project_file;

fn program() -> Program {
    program_with(
        "",
        &[
            post("general", 0, "ann", "We release Harbour on 4 March."),
            post("general", 1, "bob", "Good.").in_thread(0),
            post("random", 2, "ann", "Lunch?"),
        ],
    )
}

#[track_caller]
fn assert_refused(program: &Program, arguments: &[&str], words: &[&str]) {
    let before = program.rows();
    program.run(arguments).is_refused_with(words);
    assert_eq!(program.rows(), before, "{arguments:?}");
}

#[test]
fn a_missing_channel_is_named_with_its_near_matches() {
    let program = program();
    let prompt = [
        "prompt",
        "--scope=channel",
        "--memory-type=short-term",
        "--channel=generl",
    ];
    for command in [
        &prompt[..],
        &["memory", "show", "generl"],
        &["memory", "history", "#generl"],
        &["memory", "diff", "generl", "1", "2"],
    ] {
        assert_refused(&program, command, &["`generl`", "`general`", "CGENERAL"]);
    }
    assert_refused(
        &program,
        &["memory", "show", "xyz"],
        &["`xyz`", "myao import"],
    );
}

#[test]
fn a_thread_that_is_not_there_is_named() {
    let program = program();
    let prompt = [
        "prompt",
        "--scope=thread",
        "--memory-type=short-term",
        "--channel=general",
    ];
    let with = |thread| [&prompt[..], &["--thread", thread]].concat();
    for bad in ["abc", "1772409600", "1772409600.0001000", "-1.5", "1.x"] {
        let thread = format!("--thread={bad}");
        let arguments = [&prompt[..], &[thread.as_str()]].concat();
        assert_refused(
            &program,
            &arguments,
            &[bad, "is not a message id", "1709287200.000001"],
        );
    }
    assert_refused(
        &program,
        &with("1772409600.000101"),
        &["#general", "1772409600.000101"],
    );
    assert_refused(&program, &prompt, &["--thread"]);
    assert_refused(
        &program,
        &["memory", "show", "general:abc"],
        &["abc", "is not a message id"],
    );
    let long = [
        "prompt",
        "--scope=thread",
        "--memory-type=long-term",
        "--channel=general",
    ];
    assert_refused(
        &program,
        &[&long[..], &["--thread", &ts(0)]].concat(),
        &["long-term", "thread"],
    );
}

#[test]
fn a_channel_scope_without_a_channel_is_refused() {
    let scope = ["prompt", "--scope=channel", "--memory-type=short-term"];
    assert_refused(&program(), &scope, &["--channel", "--context"]);
}

#[test]
fn a_version_that_is_not_there_is_named() {
    let program = program();
    program
        .run(&["generate", "--now=2026-03-02T05:00:00Z"])
        .succeeded();
    let diff = ["memory", "diff", "general", "1", "9"];
    let history = "`myao --config myao.yaml memory history general`";
    assert_refused(&program, &diff, &["general has no version 9", history]);
}

#[test]
fn a_time_that_is_none_is_refused_with_an_example() {
    let program = program();
    let before = program.rows();
    for arguments in [
        &["generate", "--now=yesterday"][..],
        &["generate", "--now=2026-02-30"],
        &["generate", "--now=2026-03-02T25:00"],
        &["backfill", "--until=soon"],
    ] {
        let ran = program.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:#?}");
        let line = ran.stderr.lines().next().unwrap_or_default();
        assert!(line.contains("2026-03-06T09:00:00+09:00"), "{ran:#?}");
    }
    assert_eq!(program.rows(), before);
}

#[test]
fn days_and_times_without_an_offset_are_those_of_the_configured_zone() {
    let program = program();
    program.write("myao.yaml", "timezone: Asia/Tokyo\n");
    for (given, now) in [
        ("2026-03-02", "2026-03-02T23:59:59+09:00"),
        ("2026-03-03T10:00", "2026-03-03T10:00:00+09:00"),
    ] {
        let report = program.run(&["--json", "generate", "--now", given]).json();
        assert_eq!(report["now"], now, "{report:#}");
    }
}

#[test]
fn arguments_that_exclude_each_other_are_refused() {
    let program = program();
    let context = golden_context();
    let prompt = [
        "prompt",
        "--scope=thread",
        "--memory-type=short-term",
        "--context",
        &context,
    ];
    for more in [
        &["--channel=general"][..],
        &["--thread=1.5"],
        &["--now=2026-03-02T05:00:00Z"],
    ] {
        let ran = program.run(&[&prompt[..], more].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:#?}");
        let name = more[0].split('=').next().unwrap();
        assert!(
            ran.stderr.contains(name) && ran.stderr.contains("--context"),
            "{ran:#?}"
        );
    }
}

#[test]
fn a_context_that_is_none_is_named_with_its_line() {
    let program = program();
    let prompt = [
        "prompt",
        "--scope=channel",
        "--memory-type=short-term",
        "--context",
    ];
    for (text, words) in [
        ("{\n  \"persona\": ", &["line 2"][..]),
        (
            "{\n  \"personna\": {}\n}",
            &["line 2", "`personna`", "`persona`"],
        ),
        ("[]", &["line 1"]),
        ("", &["line 1"]),
    ] {
        program.write("context.json", text);
        let arguments = [&prompt[..], &["context.json"]].concat();
        assert_refused(&program, &arguments, &[&["context.json"], words].concat());
        let ran = program.run_with_input(&[&prompt[..], &["-"]].concat(), text);
        ran.is_refused_with(&[&["standard input"], words].concat());
    }
    assert_refused(
        &program,
        &[&prompt[..], &["nowhere.json"]].concat(),
        &["nowhere.json"],
    );
}

#[track_caller]
fn assert_component_refused(bytes: &[u8], words: &[&str]) {
    let program = program();
    program.write("other.wasm", bytes);
    let generate = [
        "--component",
        "other.wasm",
        "generate",
        "--now=2026-03-02T05:00:00Z",
    ];
    assert_refused(&program, &generate, &[&["other.wasm"], words].concat());
}

#[test]
fn a_component_that_is_none_is_named() {
    assert_component_refused(b"not WebAssembly", &["is not a WebAssembly component"]);
    assert_component_refused(b"", &["is not a WebAssembly component"]);
    // A core module: magic number, version 1, layer 0.
    assert_component_refused(b"\0asm\x01\0\0\0", &["is not a WebAssembly component"]);
    // Cut off in the middle.
    let whole = fs::read(project_file("target/component/myao_bot.wasm")).unwrap();
    assert_component_refused(
        &whole[..whole.len() / 2],
        &["is not a WebAssembly component"],
    );
}

#[test]
fn a_component_of_another_world_is_told_what_is_missing() {
    // An empty component: magic number, version 0x0d, layer 1.
    let words = [
        "does not fit this host",
        "no interface of myao:memory",
        "0.2.0",
    ];
    assert_component_refused(b"\0asm\x0d\0\x01\0", &words);
}

#[test]
fn a_component_that_only_summarizes_is_refused_before_any_work() {
    let component = std::fs::read(project_file("target/component/myao_summarizer.wasm")).unwrap();
    let words = ["does not fit this host", "summarizer", "bot"];
    assert_component_refused(&component, &words);
}

#[test]
fn a_component_that_answers_nobody_is_refused_before_any_work() {
    let component = std::fs::read(project_file("target/component/myao_memory.wasm")).unwrap();
    let words = ["does not fit this host", "the world memory alone", "bot"];
    assert_component_refused(&component, &words);
}

#[test]
fn a_missing_component_is_named() {
    let generate = ["--component", "nowhere.wasm", "generate"];
    assert_refused(&program(), &generate, &["nowhere.wasm", "No such file"]);
}

#[test]
fn another_component_that_fits_does_the_work() {
    let program = program();
    let component = project_file("target/component/myao_bot.wasm");
    let component = component.to_str().unwrap();
    let now = "--now=2026-03-02T05:00:00Z";
    let report = program
        .run(&["--json", "--component", component, "generate", now])
        .json();
    assert!(
        report["entries"][0]["made"]
            .as_array()
            .is_some_and(|made| !made.is_empty())
    );
}
