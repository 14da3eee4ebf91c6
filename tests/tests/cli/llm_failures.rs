//! Servers that do not answer as they should: one clear line each, and never the key.

use std::net::TcpListener;

use myao_tests::export::{post, program_with, time};
use myao_tests::llm_server::{API_KEY, LlmServer, Reply, answer, error, events};
use myao_tests::program::{Program, Ran, golden_context};
use serde_json::json;

use crate::cli::llm_calls::{assert_not_in_files, summarize};

/// The line with which one summary is refused.
fn refusal(reply: Reply) -> String {
    let server = LlmServer::start(move |_| reply.clone());
    let line = summarize(&Program::with_config(&server.config()), &[]).refusal();
    assert!(!line.contains(API_KEY), "{line}");
    line
}

#[track_caller]
fn assert_words(line: &str, words: &[&str]) {
    for word in words {
        assert!(line.contains(word), "no `{word}` in: {line}");
    }
}

#[test]
fn a_wrong_key_is_refused_with_the_servers_words() {
    let body = format!("{{\n  \"error\": {{\n    \"message\": \"bad key {API_KEY}\"\n  }}\n}}");
    let line = refusal(error(401, &body));
    assert_words(&line, &["401", "bad key [key]", "`agents`"]);
}

#[test]
fn too_many_calls_are_told_with_the_time_to_wait() {
    let line = refusal(Reply::Http(429, "retry-after: 17", "{}".to_owned()));
    assert_words(&line, &["no more calls", "try again in 17 s"]);
    assert_words(
        &refusal(error(429, "{}")),
        &["no more calls", "try again later"],
    );
}

#[test]
fn a_failing_server_is_told_with_its_status() {
    for status in [500, 502, 503] {
        let line = refusal(error(status, "<html>down</html>"));
        assert_words(
            &line,
            &[&status.to_string(), "<html>down</html>", "base_url"],
        );
    }
}

#[test]
fn a_prompt_that_is_too_long_is_told() {
    let body = r#"{"error":{"code":"context_length_exceeded","message":"This model's maximum context length is 8192 tokens."}}"#;
    assert_words(
        &refusal(error(400, body)),
        &["too long", "fit the model", "larger context window"],
    );
}

#[test]
fn an_answer_that_is_no_completion_is_told() {
    for body in [
        "",
        "no json",
        "{}",
        "[]",
        r#"{"choices": 3}"#,
        r#"{"choices": []}"#,
    ] {
        let line = refusal(error(200, body));
        assert_words(&line, &["the model failed"]);
    }
    // The words of an answer may hold the key as well.
    refusal(error(200, &json!(format!("echo {API_KEY}")).to_string()));
}

#[test]
fn an_empty_answer_is_told() {
    for text in ["", " \n "] {
        assert_words(&refusal(answer(text)), &["answered with nothing"]);
    }
}

#[test]
fn a_refusing_model_is_told_without_the_key() {
    let delta = json!({ "refusal": format!("no, {API_KEY}") });
    let refused = json!({ "choices": [{ "delta": delta, "finish_reason": "stop" }] });
    let line = refusal(events(&[refused]));
    assert_words(&line, &["declined", "no, [key]"]);
}

#[test]
fn a_closed_connection_is_told() {
    assert_words(&refusal(Reply::Close), &["cannot be reached", "base_url"]);
}

#[test]
fn nobody_listening_is_told() {
    let server = LlmServer::start(|_| Reply::Close);
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let config = server
        .config()
        .replace(&server.base_url(), &format!("http://{free}/v1"));
    let line = summarize(&Program::with_config(&config), &[]).refusal();
    assert_words(&line, &["cannot be reached", &free.to_string(), "base_url"]);
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let server = LlmServer::start(|_| Reply::Hang);
    let config = server.config().replace("timeout: 20", "timeout: 0.2");
    let line = summarize(&Program::with_config(&config), &[]).refusal();
    assert_words(&line, &["did not answer in time"]);
}

#[test]
fn a_failure_in_a_run_is_reported_without_the_key() {
    let server = LlmServer::start(|_| error(401, &format!("bad key {API_KEY}\nsecond line")));
    let program = program_with(
        &server.config(),
        &[post("general", 0, "ann", "We release on 4 March.")],
    );
    let before = program.memories();
    let now = time(300);
    for arguments in [
        &["generate", "--now", &now][..],
        &["backfill", "--until", &now],
    ] {
        for json in [&[][..], &["--json"]] {
            let ran = program.run(&[json, arguments].concat());
            // The report may be kept: the server's words are for whoever sits at the terminal.
            let said = match json {
                [] => "myao: the model's server says: bad key [key] second line\n",
                _ => "",
            };
            assert_eq!((ran.code, ran.stderr.as_str()), (Some(1), said), "{ran:#?}");
            assert!(ran.stdout.contains("status 401"), "{ran:#?}");
            assert!(!ran.stdout.contains("second line"), "{ran:#?}");
        }
    }
    assert_eq!(program.memories(), before);
    assert_not_in_files(&program);
}

#[test]
fn a_trace_of_a_failure_does_not_hold_the_key() {
    let server = LlmServer::start(|_| error(401, &format!("bad key {API_KEY}")));
    let program = Program::with_config(&server.config());
    let context = golden_context();
    let mut command = program.command(&[
        "summarize",
        "--scope=channel",
        "--memory-type=short-term",
        "--context",
        &context,
    ]);
    let ran = Ran::of(command.env("RUST_LOG", "trace"));
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(ran.stderr.contains("TRACE"), "traces are on: {ran:#?}");
    assert!(!ran.stderr.contains(API_KEY), "{ran:#?}");
}
