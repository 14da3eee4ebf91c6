//! What an OpenAI-compatible server is asked, and what becomes of its answers.

use myao_tests::export::{post, program_with, time};
use myao_tests::llm_server::{API_KEY, Call, LlmServer, answer, cut_off};
use myao_tests::program::{Program, Ran, golden_context};
use myao_tests::read_project_file;
use serde_json::{Value, json};

/// One summary of the specification's context.
pub(crate) fn summarize(program: &Program, more: &[&str]) -> Ran {
    let context = golden_context();
    let arguments = [
        "summarize",
        "--scope=channel",
        "--memory-type=short-term",
        "--context",
        &context,
    ];
    program.run(&[&arguments[..], more].concat())
}

fn only_call(server: &LlmServer) -> Call {
    let mut calls = server.calls();
    assert_eq!(calls.len(), 1, "{calls:#?}");
    calls.remove(0)
}

#[test]
fn the_model_gets_one_system_message_and_no_user_message() {
    let server = LlmServer::start(|_| answer("\n- 要約\n\n"));
    let program = Program::with_config(&server.config());
    let text = summarize(&program, &[]).output();
    assert_eq!(text, "- 要約\n", "the result is stripped");
    let call = only_call(&server);
    assert_eq!(call.target, "POST /v1/chat/completions");
    let prompt = read_project_file("tests/goldens/channel-short-term.txt");
    assert_eq!(
        call.body,
        json!({
            "model": "test-model",
            "messages": [{ "role": "system", "content": prompt }],
            "max_tokens": 300,
            "stream": true,
            "stream_options": { "include_usage": true },
        })
    );
}

#[test]
fn json_tells_the_engine_and_whether_the_answer_was_cut_off() {
    let server = LlmServer::start(|_| answer("- ok"));
    let program = Program::with_config(&server.config());
    let answer = summarize(&program, &["--json"]).json();
    assert_eq!(
        (&answer["text"], &answer["engine"], &answer["truncated"]),
        (&json!("- ok"), &json!("llm"), &json!(false))
    );
    let (coverage, messages) = (&answer["coverage"], &answer["coverage"]["messages"]);
    assert!(messages.as_u64() > Some(0), "{answer:#}");
    let left_out = json!({ "other_channels": 0, "workspace": 0, "messages": 0, "channel": 0 });
    assert_eq!(
        *coverage,
        json!({
            "messages": messages, "covered": messages, "left_out": left_out, "refused": 0, "unfounded": 0,
            "doubtful": 0, "records": 0, "late": 0, "refused_items": 0, "chunks": 1, "calls": 1,
        })
    );
}

fn max_tokens(config: &str) -> Vec<Value> {
    let server = LlmServer::start(|_| answer("- ok"));
    let program = Program::with_config(&(server.config() + config));
    for (scope, memory_type) in [
        ("thread", "short-term"),
        ("channel", "short-term"),
        ("channel", "long-term"),
        ("workspace", "long-term"),
    ] {
        let context = golden_context();
        let scope = [
            "--scope",
            scope,
            "--memory-type",
            memory_type,
            "--context",
            &context,
        ];
        program
            .run(&[&["summarize"], &scope[..]].concat())
            .succeeded();
    }
    server
        .calls()
        .iter()
        .map(|call| call.body["max_tokens"].clone())
        .collect()
}

#[test]
fn the_answers_length_is_limited_by_memory_type() {
    assert_eq!(max_tokens(""), [300, 300, 500, 500].map(Value::from));
    let configured =
        "memory: { short_term_summary_max_tokens: 120, long_term_summary_max_tokens: 640 }\n";
    assert_eq!(
        max_tokens(configured),
        [120, 120, 640, 640].map(Value::from)
    );
}

#[test]
fn params_go_into_every_call_and_max_tokens_among_them_is_an_upper_limit() {
    let server = LlmServer::start(|_| answer("- ok"));
    let config = server.config_with("params: { temperature: 0.25, seed: 7, max_tokens: 200 }");
    summarize(&Program::with_config(&config), &[]).succeeded();
    let body = only_call(&server).body;
    assert_eq!(
        (&body["temperature"], &body["seed"], &body["max_tokens"]),
        (&json!(0.25), &json!(7), &json!(200))
    );
}

#[test]
fn the_key_goes_into_the_authorization_header_and_nowhere_else() {
    let server = LlmServer::start(|_| answer("- ok"));
    let program = program_with(
        &server.config(),
        &[post("general", 0, "ann", "We release on 4 March.")],
    );
    let now = time(300);
    let mut command = program.command(&["--json", "generate", "--now", &now]);
    let ran = Ran::of(command.env("RUST_LOG", "trace"));
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(!ran.stderr.is_empty(), "traces are on");
    assert!(
        !ran.stdout.contains(API_KEY) && !ran.stderr.contains(API_KEY),
        "{ran:#?}"
    );
    let calls = server.calls();
    assert!(calls.len() > 1);
    for call in &calls {
        let with_key: Vec<&String> = call
            .headers
            .iter()
            .filter(|header| header.contains(API_KEY))
            .collect();
        assert_eq!(with_key, [&format!("authorization: Bearer {API_KEY}")]);
        assert!(!call.body.to_string().contains(API_KEY) && !call.target.contains(API_KEY));
    }
    assert_not_in_files(&program);
}

/// The key stands in no file but the configuration.
pub(crate) fn assert_not_in_files(program: &Program) {
    for entry in std::fs::read_dir(program.folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() && !path.ends_with("myao.yaml") {
            let bytes = std::fs::read(&path).unwrap();
            let key = API_KEY.as_bytes();
            assert!(
                !bytes.windows(key.len()).any(|part| part == key),
                "{}",
                path.display()
            );
        }
    }
}

#[test]
fn a_key_from_the_environment_is_sent() {
    let server = LlmServer::start(|_| answer("- ok"));
    let config = server.config().replace(API_KEY, "'${TEST_KEY}'");
    let program = Program::with_config(&config);
    let context = golden_context();
    let mut command = program.command(&[
        "summarize",
        "--scope=channel",
        "--memory-type=short-term",
        "--context",
        &context,
    ]);
    Ran::of(command.env("TEST_KEY", "sk-from-the-environment")).succeeded();
    let header = "authorization: Bearer sk-from-the-environment".to_owned();
    assert!(only_call(&server).headers.contains(&header));
}

#[test]
fn without_a_key_no_authorization_is_sent() {
    let server = LlmServer::start(|_| answer("- ok"));
    let config = server
        .config()
        .replace(&format!("api_key: {API_KEY}, "), "");
    summarize(&Program::with_config(&config), &[]).succeeded();
    let call = only_call(&server);
    assert!(
        !call
            .headers
            .iter()
            .any(|header| header.starts_with("authorization")),
        "{call:#?}"
    );
}

/// Regression 11.
#[test]
fn an_answer_that_was_cut_off_is_kept_to_its_last_whole_line() {
    let server =
        LlmServer::start(|_| cut_off("- リリースの日が決まった\n- 予算が決まった\n- 会場は箱"));
    let program = Program::with_config(&server.config());
    let answer = summarize(&program, &["--json"]).json();
    assert_eq!(
        (&answer["text"], &answer["truncated"]),
        (
            &json!("- リリースの日が決まった\n- 予算が決まった"),
            &json!(true)
        )
    );
}

#[test]
fn a_prompt_needs_no_server() {
    let server = LlmServer::start(|_| answer("- never"));
    let program = Program::with_config(&server.config());
    let context = golden_context();
    let prompt = [
        "prompt",
        "--scope=channel",
        "--memory-type=short-term",
        "--context",
        &context,
    ];
    program.run(&prompt).succeeded();
    assert_eq!(server.calls().len(), 0);
}

#[test]
fn nothing_to_summarise_costs_no_call() {
    let server = LlmServer::start(|_| answer("- never"));
    let program = program_with(&server.config(), &[post("quiet", 0, "ann", "hi")]);
    let now = time(60 * 24 * 30);
    let ran = program.run(&[
        "--json",
        "summarize",
        "--scope=channel",
        "--memory-type=short-term",
        "--channel=quiet",
        "--now",
        &now,
    ]);
    assert_eq!((ran.code, server.calls().len()), (Some(0), 0), "{ran:#?}");
}
