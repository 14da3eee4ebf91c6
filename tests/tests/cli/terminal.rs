//! What people, files and servers wrote steers no terminal and forges no line, whichever command shows it.

use std::path::Path;
use std::process::Command;

use myao_tests::export::{Post, post, program_with, time, write_export};
use myao_tests::llm_server::{LlmServer, answer, error, events};
use myao_tests::program::{Program, Ran};
use rusqlite::Connection;
use serde_json::json;

/// Each does something to a terminal, or to who reads it: clears the screen, writes the clipboard (OSC 52), links elsewhere
/// (OSC 8), asks for an answer that is typed (DCS), the same with C1 bytes, overwrites, deletes, turns the direction, breaks
/// the line.
const TRICKS: [&str; 16] = [
    "\u{1b}[2J\u{1b}[H",
    "\u{1b}]52;c;cm0gLXJmIH4=\u{7}",
    "\u{1b}]8;;https:evil.example\u{1b}\\link\u{1b}]8;;\u{1b}\\",
    "\u{1b}]0;title\u{7}",
    "\u{1b}P$q\"p\u{1b}\\",
    "\u{1b}c",
    "\u{9b}31m",
    "\u{9d}52;c;eA==\u{9c}",
    "\u{90}q\u{9c}",
    "\rforged",
    "ab\u{8}\u{8}cd",
    "\u{7f}\u{7f}",
    "\u{202e}txt.exe\u{202c}",
    "\u{2066}abc\u{2069}",
    "\u{85}\u{b}\u{c}",
    "\u{7}\u{e}\u{f}",
];

/// All tricks in one text, which ends in a word that is looked for.
fn hostile() -> String {
    format!("x{}harbour", TRICKS.concat())
}

/// Whether a terminal shows a character and does nothing else with it.
fn is_shown(c: char) -> bool {
    matches!(c, '\n' | '\t')
        || !(c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
}

#[track_caller]
fn assert_harmless(ran: &Ran) {
    for (output, text) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        let harmful: Vec<char> = text.chars().filter(|c| !is_shown(*c)).collect();
        assert!(harmful.is_empty(), "{output}: {harmful:?} in {ran:#?}");
    }
}

/// Runs the program in a pseudo-terminal, typing `lines` at its prompts; its output, with line feeds for the ends of lines.
pub(crate) fn in_terminal(program: &Program, arguments: &[&str], lines: &[&str]) -> Ran {
    let mut ran = Ran::of(&mut in_terminal_command(program, arguments, lines));
    ran.stdout = ran.stdout.replace("\r\n", "\n");
    ran
}

fn in_terminal_command(program: &Program, arguments: &[&str], lines: &[&str]) -> Command {
    let python = concat!(env!("CARGO_MANIFEST_DIR"), "/src/terminal.py");
    let script = format!("exec python3 '{python}' '{}' \"$@\"", json!(lines));
    let mut command = program.shell(&script, arguments);
    command.env("TERM", "xterm-256color");
    command
}

/// A database whose every text of others is hostile, made with recordings.
fn hostile_program(server: &LlmServer) -> Program {
    let config = server.config() + "memory:\n  recording: true\n";
    let program = program_with(
        &config,
        &[post("general", 0, "ann", "We release Harbour on 4 March.")],
    );
    program.run(&["generate", "--now", &time(300)]).succeeded();
    let database = Connection::open(program.path("myao.db")).unwrap();
    let hostile = hostile();
    for sql in [
        "UPDATE channels SET name = ?1",
        "UPDATE users SET name = ?1",
        "UPDATE messages SET text = ?1",
        "UPDATE memories SET content = ?1 || char(10) || '- ' || ?1",
    ] {
        assert!(database.execute(sql, [&hostile]).unwrap() > 0, "{sql}");
    }
    program
}

fn model() -> LlmServer {
    LlmServer::start(|_| {
        let text = "- The release of Harbour is on 4 March, says ann.";
        let chunk = json!({ "model": hostile(), "choices": [
            { "index": 0, "delta": { "content": text }, "finish_reason": "stop" },
        ]});
        events(&[chunk])
    })
}

const SHOWING: [&[&str]; 8] = [
    &["memory", "list"],
    &["memory", "show", "CGENERAL"],
    &["memory", "history", "CGENERAL"],
    &["memory", "diff", "CGENERAL", "1", "1"],
    &["usage", "--by", "model", "--by", "channel"],
    &["replay", "CGENERAL", "--prompts"],
    &["doctor"],
    &[
        "prompt",
        "--scope=channel",
        "--memory-type=short-term",
        "--channel=CGENERAL",
        "--now=2026-03-02T05:00:00Z",
    ],
];

#[test]
fn no_text_of_others_steers_the_terminal_that_shows_it() {
    let server = model();
    let program = hostile_program(&server);
    for command in SHOWING {
        let shown = in_terminal(&program, command, &[]);
        if command[0] == "doctor" {
            // It shows a spinner while it checks, which is the program's own.
            assert!(!shown.stdout.contains("]52"), "{shown:#?}");
            continue;
        }
        assert_harmless(&shown);
        assert!(shown.stdout.len() > 40, "{shown:#?}");
    }
    let shown = in_terminal(&program, &["memory", "show", "CGENERAL"], &[]).stdout;
    assert!(
        shown.contains(r"\u{1b}]52;c;cm0gLXJmIH4=\u{7}"),
        "nothing is lost: {shown}"
    );
}

#[test]
fn what_is_piped_is_as_harmless_and_json_says_the_same() {
    let server = model();
    let program = hostile_program(&server);
    for command in SHOWING.iter().filter(|command| command[0] != "prompt") {
        assert_harmless(&program.run(command));
        assert_harmless(&program.run(&[&["--json"], *command].concat()));
    }
    let memories = program
        .run(&["--json", "memory", "show", "CGENERAL"])
        .json();
    let text = memories[0]["content"].as_str().unwrap();
    assert!(
        text.contains(TRICKS[1]) && text.contains(TRICKS[7]),
        "{text:?}"
    );
}

#[test]
fn a_channels_name_begins_no_line_of_its_own() {
    let program = program_with(
        "",
        &[post("general", 0, "ann", "We release Harbour on 4 March.")],
    );
    program.run(&["generate", "--now", &time(300)]).succeeded();
    let database = Connection::open(program.path("myao.db")).unwrap();
    database
        .execute("UPDATE channels SET name = ?1", ["a\nforged b\u{2028}c"])
        .unwrap();
    for command in &SHOWING[..2] {
        let shown = program.run(command).stdout;
        assert!(shown.contains(r"#a\nforged b\u{2028}c"), "{shown}");
        assert!(
            !shown.lines().any(|line| line.starts_with("forged")),
            "{shown}"
        );
    }
}

/// A template may hold any byte, and the prompt is exactly what a model gets: only a terminal gets it escaped.
#[test]
fn a_prompt_is_exact_in_a_pipe_and_harmless_in_a_terminal() {
    let template = hostile();
    let program = program_with("", &[post("general", 0, "ann", "hello")]);
    program.write("templates/memory_prompt.j2", template);
    program.write("myao.yaml", "memory: { templates_path: templates }\n");
    let prompt = SHOWING[7];
    let piped = program.run(prompt).output();
    // Jinja reads each end of a line in a template as a line feed.
    let expected = hostile().replace('\r', "\n");
    assert!(piped.contains(&expected), "{piped:?}");
    let shown = in_terminal(&program, prompt, &[]);
    assert_harmless(&shown);
    assert!(shown.stdout.contains(r"\u{1b}]52;"), "{shown:#?}");
}

#[test]
fn errors_name_folders_files_and_arguments_without_their_tricks() {
    let program = Program::default();
    let name = hostile();
    program.write(&format!("{name}/users.json"), "[");
    program.write(&format!("{name}/channels.json"), "[]");
    program.write(&format!("good/{name}/2026-03-02.json"), "[{]");
    let channels = json!([{ "id": "C1", "name": name }]);
    program.write("good/channels.json", channels.to_string());
    program.write("good/users.json", "[]");
    for arguments in [
        &["import", &name][..],
        &["import", "good"],
        &["import", "nowhere", &name],
        &["memory", "show", &name],
        &["--config", &name, "memory", "list"],
        &[&name],
    ] {
        let ran = program.run(arguments);
        assert_ne!(ran.code, Some(0), "{ran:#?}");
        assert!(!ran.stderr.is_empty(), "{ran:#?}");
        assert_harmless(&ran);
    }
    assert!(program.path(&name).is_dir(), "{:?}", Path::new(&name));
}

/// What is in an archive, as it is imported and remembered.
#[test]
fn an_archive_full_of_tricks_is_imported_and_shown() {
    let posts: Vec<Post> = TRICKS
        .iter()
        .enumerate()
        .map(|(n, trick)| {
            let text = format!("We release Harbour on 4 March. {trick} The budget is 45,000 yen.");
            post(
                "general\u{1b}[2J",
                i64::try_from(n).unwrap(),
                "ann\u{9b}31m",
                &text,
            )
        })
        .collect();
    let program = program_with("", &posts);
    for arguments in [
        &["import", "export"][..],
        &["generate", "--now", &time(300)],
        &["memory", "list"],
        &["memory", "show", "CGENERAL\u{1b}[2J"],
    ] {
        let ran = program.run(arguments);
        assert_eq!(ran.code, Some(0), "{ran:#?}");
        assert_harmless(&ran);
    }
}

/// The model answers a person at the terminal, who has a line editor there.
#[test]
fn a_models_answer_steers_no_terminal() {
    let server = LlmServer::start(|_| answer(&hostile()));
    let url = server.base_url();
    let config = format!(
        "agents: {{ response: {{ model_id: openai/m, client_args: {{ base_url: '{url}', api_key: k, max_retries: 0 }} }} }}\n"
    );
    let program = Program::with_config(&config);
    let arguments = ["chat", "--name", "a\u{1b}]52;c;eA==\u{7}nn"];
    let shown = in_terminal(&program, &arguments, &["When is the release?", "/memory"]);
    assert_eq!(shown.code, Some(0), "{shown:#?}");
    // An answer loses its control characters before it is posted anywhere.
    assert!(shown.stdout.contains(r"\u{202e}txt.exe"), "{shown:#?}");
    for trick in [
        "\u{1b}]",
        "\u{1b}P",
        "\u{1b}c",
        "\u{9b}",
        "\u{9d}",
        "\u{202e}",
        "\u{8}\u{8}",
    ] {
        assert!(!shown.stdout.contains(trick), "{trick:?} in {shown:#?}");
    }
    assert_harmless(&program.run_with_input(&arguments, "When is the release?"));
}

#[test]
fn a_servers_words_are_for_the_terminal_and_steer_it_not() {
    let body = json!({ "error": { "message": hostile(), "code": hostile() } }).to_string();
    let server = LlmServer::start(move |_| error(400, &body));
    let program = program_with(&server.config(), &[post("general", 0, "ann", "hello")]);
    let ran = program.run(&["generate", "--now", &time(300)]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert_harmless(&ran);
    assert!(
        ran.stderr.contains("the model's server says: x"),
        "{ran:#?}"
    );
    assert!(!ran.stdout.contains("harbour"), "{ran:#?}");
}

/// A component's line, and a text in it, stay one line of the log in both formats.
#[test]
fn log_lines_stay_one_line_each() {
    for format in ["text", "json"] {
        let body =
            "one\n2026-03-02T00:00:00Z ERROR myao: forged\u{1b}[2J\u{9b}\u{7f}\u{202e}\u{2028}";
        let server = LlmServer::start(move |_| error(500, body));
        let config = format!(
            "{}logging: {{ format: {format}, level: DEBUG }}\n",
            server.config()
        );
        let program = program_with(&config, &[post("general", 0, "ann", "hello")]);
        let ran = program.run(&["generate", "--now", &time(300)]);
        assert_harmless(&ran);
        assert!(ran.stderr.contains("no answer"), "{ran:#?}");
        assert!(!ran.stderr.contains('\u{2028}'), "{ran:#?}");
        for line in ran
            .stderr
            .lines()
            .filter(|line| !line.starts_with("myao: "))
        {
            let is_whole = match format {
                "json" => serde_json::from_str::<serde_json::Value>(line).is_ok(),
                _ => line.contains(" DEBUG myao"),
            };
            assert!(is_whole, "{line}");
        }
    }
}

#[test]
fn differences_have_colours_in_a_terminal_unless_nobody_wants_them() {
    let program = program_with("", &[post("general", 0, "ann", "We release on 4 March.")]);
    program.run(&["generate", "--now", &time(180)]).succeeded();
    let later = post("general", 200, "bob", "The budget is 45,000 yen.");
    write_export(&program, &[later]);
    program.run(&["import", "export"]).succeeded();
    program.run(&["generate", "--now", &time(400)]).succeeded();
    let diff = ["memory", "diff", "workspace", "1", "2"];
    let added = "\u{1b}[32m+ - ";
    let shown = in_terminal(&program, &diff, &[]).stdout;
    assert!(shown.contains(added), "{shown:?}");
    let piped = program.run(&diff).output();
    assert!(
        piped.contains("\n+ - ") && !piped.contains('\u{1b}'),
        "{piped:?}"
    );
    let plain = Ran::of(in_terminal_command(&program, &diff, &[]).env("NO_COLOR", "1"));
    assert!(
        plain.stdout.contains("+ - ") && !plain.stdout.contains('\u{1b}'),
        "{plain:?}"
    );
}

/// The program's own colours stay where a terminal shows the log.
#[test]
fn log_lines_have_colours_in_a_terminal() {
    let server = LlmServer::start(|_| error(500, "\u{1b}[2J"));
    let config = format!("{}logging: {{ level: DEBUG }}\n", server.config());
    let program = program_with(&config, &[post("general", 0, "ann", "hello")]);
    let shown = in_terminal(&program, &["generate", "--now", &time(300)], &[]).stdout;
    assert!(shown.contains("\u{1b}[34mDEBUG"), "{shown:?}");
    assert!(!shown.contains("\u{1b}[2J"), "{shown:?}");
}
