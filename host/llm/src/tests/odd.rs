//! Odd values besides the text of an answer: the answer is paid for, so it is kept.

use serde_json::json;

use super::super::testing::{Server, events, openai_events, reply};
use super::*;

/// The odd values that a count, a name or a reason may have.
const ODD: [&str; 13] = [
    "-1",
    "1.5",
    "12.0",
    "1e400",
    "4294967295",
    "123456789012345678901234567890",
    "null",
    "true",
    "\"12\"",
    "\"\"",
    "[]",
    "{}",
    r#""\ud83d""#,
];

/// Answers with odd usage, in each wire format; one of the values takes the place of `ODD`.
fn odd_usages() -> [(&'static str, String); 8] {
    let [opening, finish, ..] = openai_events("要約です");
    let openai = |usage: &str| {
        let usage = format!(r#"{{"choices":[],"usage":{usage}}}"#);
        events(&[&opening, &finish, &usage, "[DONE]"])
    };
    let anthropic = |begin: &str, end: &str| {
        let start =
            format!(r#"{{"type":"message_start","message":{{"model":"m-1","usage":{begin}}}}}"#);
        let text =
            r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"要約です"}}"#;
        let stop = format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"end_turn"}},"usage":{end}}}"#
        );
        events(&[&start, text, &stop, r#"{"type":"message_stop"}"#])
    };
    let gemini = |usage: &str| {
        events(&[&format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"要約です"}}]}},"finishReason":"STOP"}}],"usageMetadata":{usage},"modelVersion":"m-1"}}"#
        )])
    };
    [
        ("openai/m", openai("ODD")),
        (
            "openai/m",
            openai(r#"{"prompt_tokens":ODD,"completion_tokens":ODD,"prompt_tokens_details":ODD}"#),
        ),
        ("anthropic/m", anthropic("ODD", "ODD")),
        (
            "anthropic/m",
            anthropic(
                r#"{"input_tokens":ODD,"cache_read_input_tokens":ODD}"#,
                r#"{"output_tokens":ODD}"#,
            ),
        ),
        ("gemini/m", gemini("ODD")),
        (
            "gemini/m",
            gemini(r#"{"promptTokenCount":ODD,"candidatesTokenCount":ODD,"thoughtsTokenCount":ODD}"#),
        ),
        (
            "ollama/m",
            r#"{"model":"m-1","message":{"content":"要約です"},"done":true,"done_reason":"stop","prompt_eval_count":ODD,"eval_count":ODD}"#.to_owned() + "\n",
        ),
        (
            "openai/m",
            openai(r#"{"prompt_tokens":12,"completion_tokens":ODD,"prompt_tokens_details":{"cached_tokens":ODD}}"#),
        ),
    ]
}

#[tokio::test(start_paused = true)]
async fn an_answer_with_odd_usage_is_taken_and_its_usage_unknown() {
    for (model_id, answer) in odd_usages() {
        for odd in ODD {
            let server = Server::start([reply(200, "", &answer.replace("ODD", odd))]).await;
            let (result, _) = call(&openai_at(&server, json!({ "model_id": model_id }))).await;
            let completion = result.unwrap();
            assert_eq!(completion.text, "要約です", "{odd} in {answer}");
            assert_eq!(completion.output_tokens, None, "{odd} in {answer}");
            assert_eq!(server.received().len(), 1, "{odd} in {answer}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_odd_beside_the_text_throws_no_answer_away() {
    for (model_id, answer) in [
        (
            "openai/m",
            r#"{"model":7,"error":null,"choices":[{"delta":{"content":"要約です","refusal":null},"logprobs":ODD,"finish_reason":null}]}
{"choices":null,"error":{}}
{"choices":[],"error":""}
{"choices":[{"delta":null,"finish_reason":"stop"}]}
[DONE]"#,
        ),
        (
            "anthropic/m",
            r#"{"type":"message_start","message":{"model":7,"usage":null}}
{"type":"ping","delta":null}
{"type":"content_block_delta","delta":{"type":"text_delta","text":"要約です"},"index":ODD}
{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":ODD}}
{"type":"message_stop"}"#,
        ),
        (
            "gemini/m",
            r#"{"candidates":null}
{"candidates":[{"content":{"parts":null}}]}
{"candidates":[{"content":{"parts":[{"text":null,"thought":null}]}}]}
{"candidates":[{"content":{"parts":[{"text":"要約です","thought":false,"extra":ODD}]},"finishReason":"STOP","index":ODD}]}"#,
        ),
        (
            "ollama/m",
            r#"{"model":"m","message":null,"done":null}
{"model":"m","message":{"content":"要約です","thinking":ODD},"done":false}
{"message":{"content":null},"done":true,"done_reason":null,"context":ODD}"#,
        ),
    ] {
        for odd in ODD {
            let lines: Vec<String> = answer
                .lines()
                .map(|line| line.replace("ODD", odd))
                .collect();
            let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
            let body = if model_id == "ollama/m" {
                lines.join("\n") + "\n"
            } else {
                events(&lines)
            };
            let server = Server::start([reply(200, "", &body)]).await;
            let (result, _) = call(&openai_at(&server, json!({ "model_id": model_id }))).await;
            assert_eq!(result.unwrap().text, "要約です", "{odd} in {answer}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_that_is_whole_stands_whatever_follows_it() {
    let [opening, finish, ..] = openai_events("要約です");
    for behind in [
        r#"{"choices":[],"usage":{"completion_tokens":NaN}}"#,
        r#"{"error":{"message":"no usage"}}"#,
        "<html>",
    ] {
        let body = events(&[&opening, &finish, behind, "[DONE]"]);
        let server = Server::start([reply(200, "", &body)]).await;
        let (result, _) = call(&openai_at(&server, json!({}))).await;
        assert_eq!(result.unwrap().text, "要約です", "{behind}");
    }
}
