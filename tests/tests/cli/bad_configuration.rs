//! Broken configurations: one line each that names file, place and key, and nothing is touched.

use myao_tests::llm_server::API_KEY;
use myao_tests::program::{Program, golden_context};

/// The line with which a command is refused under a configuration.
#[track_caller]
fn refusal(config: &str) -> String {
    let program = Program::with_config(config);
    let context = golden_context();
    let summary = [
        "summarize",
        "--scope=channel",
        "--memory-type=short-term",
        "--context",
        &context,
    ];
    let line = program.run(&summary).refusal();
    assert!(!program.path("myao.db").exists());
    line
}

#[track_caller]
fn assert_refused(config: &str, words: &[&str]) {
    let line = refusal(config);
    for word in words {
        assert!(line.contains(word), "no `{word}` in: {line}");
    }
}

#[test]
fn an_unknown_key_is_named_with_its_line() {
    let config = "memory:\n  short_term_windw_hours: 3\n";
    assert_refused(
        config,
        &[
            "myao.yaml",
            "line 2",
            "`memory.short_term_windw_hours`",
            "`memory.short_term_window_hours`",
        ],
    );
    assert_refused(
        "memroy: {}\n",
        &["myao.yaml", "line 1", "`memroy`", "memory"],
    );
}

#[test]
fn broken_yaml_is_named_with_its_line() {
    assert_refused(
        "persona:\n  name: \"a\nmemory: {}\n",
        &["myao.yaml", "line 3"],
    );
    assert_refused("memory: [\n", &["myao.yaml", "line 1"]);
    assert_refused("just text\n", &["myao.yaml", "line 1", "key: value"]);
}

#[test]
fn an_unset_variable_is_named_with_its_key() {
    for (config, key) in [
        ("persona: { name: '${NO_SUCH_NAME}' }\n", "`name`"),
        (
            "memory: { database_path: '${NO_SUCH_NAME}/myao.db' }\n",
            "`database_path`",
        ),
        (
            "memory: { templates_path: '${NO_SUCH_NAME}' }\n",
            "`templates_path`",
        ),
        ("workspace: '${NO_SUCH_NAME}'\n", "`workspace`"),
        ("timezone: '${NO_SUCH_NAME}'\n", "`timezone`"),
        ("slack: { bot_token: '${NO_SUCH_NAME}' }\n", "`bot_token`"),
    ] {
        assert_refused(
            config,
            &["myao.yaml", "line 1", key, "NO_SUCH_NAME is not set"],
        );
    }
    let nested = "agents:\n  memory:\n    client_args:\n      api_key: ${NO_SUCH_NAME}\n";
    assert_refused(nested, &["myao.yaml", "NO_SUCH_NAME is not set"]);
}

#[test]
fn a_value_of_the_wrong_type_is_named_with_its_key() {
    assert_refused(
        "memory:\n  short_term_window_hours: soon\n",
        &[
            "myao.yaml",
            "line 2",
            "`memory.short_term_window_hours`",
            "whole number",
        ],
    );
    assert_refused(
        "memory: { channels_in_flight: 0 }\n",
        &["`channels_in_flight`", "from 1"],
    );
    assert_refused(
        "memory: { short_term_history: { enabled: 7 } }\n",
        &["`memory.short_term_history.enabled`", "`true`, `false`"],
    );
    assert_refused("workspace: [1]\n", &["`workspace`", "a text"]);
    assert_refused("logging: { level: LOUD }\n", &["`level`", "LOUD", "INFO"]);
}

#[test]
fn an_unknown_time_zone_is_named() {
    assert_refused(
        "timezone: Asia/Tokio\n",
        &["`timezone`", "Asia/Tokio", "Asia/Tokyo"],
    );
}

#[test]
fn an_agent_that_cannot_be_reached_is_named_with_its_key() {
    let agent = |more: &str| format!("agents: {{ memory: {{ {more} }} }}\n");
    assert_refused(
        &agent("model_id: gpt-4o"),
        &["`model_id`", "gpt-4o", "openai/gpt-4o"],
    );
    assert_refused(
        &agent("model_id: acme/one"),
        &["agents.memory.model_id", "acme"],
    );
    let client = |more: &str| agent(&format!("model_id: openai/m, client_args: {{ {more} }}"));
    assert_refused(
        &client("base_ur: x"),
        &["agents.memory.client_args.base_ur", "base_url"],
    );
    assert_refused(
        &client("base_url: nowhere"),
        &["client_args.base_url", "https://"],
    );
    assert_refused(&client("api_key: 3"), &["client_args.api_key", "a text"]);
    assert_refused(&client("timeout: -1"), &["client_args.timeout", "seconds"]);
}

#[test]
fn every_fault_has_a_line_of_its_own() {
    let program = Program::with_config("persona: { name: '' }\nresponse: { jitter_ratio: 3 }\n");
    let ran = program.run(&["memory", "list"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines.len(), 2, "{ran:#?}");
    for (line, words) in lines.iter().zip(["line 1, ", "line 2, "]) {
        let begins = "myao: configuration myao.yaml, ";
        assert!(line.starts_with(begins) && line.contains(words), "{line}");
    }
}

#[test]
fn a_missing_file_is_named() {
    let program = Program::default();
    std::fs::remove_file(program.path("myao.yaml")).unwrap();
    program
        .run(&["memory", "list"])
        .is_refused_with(&["myao.yaml", "--config"]);
    program.write("myao.yaml", b"workspace: \xff\n");
    program
        .run(&["memory", "list"])
        .is_refused_with(&["myao.yaml", "UTF-8"]);
}

#[test]
fn an_error_never_shows_the_lines_around_it() {
    let secret = |rest: &str| {
        format!(
            "agents:\n  memory:\n    client_args:\n      api_key: {API_KEY}{rest}\n    other: 1\n"
        )
    };
    for config in [secret(""), secret("${"), secret("\n   x: [")] {
        let ran = Program::with_config(&config).run(&["memory", "list"]);
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        assert!(!ran.stderr.contains(API_KEY), "{ran:#?}");
    }
}

/// A template folder with one file in it.
#[track_caller]
fn assert_template_refused(name: &str, text: &str, words: &[&str]) {
    let program = Program::with_config("memory: { templates_path: mine }\n");
    program.write(&format!("mine/{name}"), text);
    let context = golden_context();
    let prompt = [
        "prompt",
        "--scope=channel",
        "--memory-type=short-term",
        "--context",
        &context,
    ];
    program.run(&prompt).is_refused_with(words);
}

#[test]
fn a_template_with_a_syntax_error_is_named_with_its_line() {
    let text = "{# a #}\nfirst\n{% if %}\n";
    assert_template_refused(
        "_channel_short_term.j2",
        text,
        &["_channel_short_term.j2", "line 3"],
    );
    let text = "first\n{{ no.such.name }}\n";
    assert_template_refused(
        "memory_prompt.j2",
        text,
        &["memory_prompt.j2", "line 2", "undefined"],
    );
}

#[test]
fn a_template_of_an_unknown_name_is_named_with_the_known_ones() {
    assert_template_refused(
        "memory_promt.j2",
        "hi",
        &["memory_promt.j2", "memory_prompt.j2"],
    );
}

#[test]
fn a_missing_template_folder_is_named() {
    assert_refused(
        "memory: { templates_path: nowhere }\n",
        &["nowhere", "memory.templates_path"],
    );
}
