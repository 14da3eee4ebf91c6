//! How answers end, in every wire format: finish reasons, refusals, and characters that are cut in two.

use myao_plugin::llm::FinishReason;
use serde_json::json;

use super::super::testing::{Server, events, reply};
use super::*;

#[tokio::test(start_paused = true)]
async fn finish_reasons_are_told_apart_on_every_wire() {
    let openai = |reason: &str| {
        events(&[&format!(
            r#"{{"choices":[{{"delta":{{"content":"a"}},"finish_reason":"{reason}"}}]}}"#
        )])
    };
    let anthropic = |reason: &str| {
        events(&[
            &format!(r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}"}}}}"#),
            r#"{"type":"message_stop"}"#,
        ])
    };
    let gemini = |reason: &str| {
        events(&[&format!(
            r#"{{"candidates":[{{"finishReason":"{reason}"}}]}}"#
        )])
    };
    let ollama = |reason: &str| format!(r#"{{"done":true,"done_reason":"{reason}"}}"#);
    for (model_id, body, reason) in [
        ("openai/m", openai("length"), FinishReason::Length),
        (
            "openai/m",
            openai("content_filter"),
            FinishReason::ContentFilter,
        ),
        ("openai/m", openai("tool_calls"), FinishReason::Other),
        ("anthropic/m", anthropic("max_tokens"), FinishReason::Length),
        ("anthropic/m", anthropic("pause_turn"), FinishReason::Other),
        ("gemini/m", gemini("MAX_TOKENS"), FinishReason::Length),
        ("gemini/m", gemini("SAFETY"), FinishReason::ContentFilter),
        ("gemini/m", gemini("OTHER"), FinishReason::Other),
        ("ollama/m", ollama("length"), FinishReason::Length),
        ("ollama/m", ollama("unload"), FinishReason::Other),
    ] {
        let server = Server::start([reply(200, "", &body)]).await;
        let (result, record) = call(&at(&server, model_id, "", json!({}))).await;
        assert_eq!(result.unwrap().finish_reason, reason, "{body}");
        assert_eq!(record.finish_reason, Some(reason));
        assert_eq!((record.input_tokens, record.cached_tokens), (None, None));
    }
}

#[tokio::test(start_paused = true)]
async fn refusals_are_errors_that_are_not_tried_again() {
    for (model_id, status, body, words) in [
        (
            "openai/m",
            200,
            events(&[
                r#"{"choices":[{"delta":{"refusal":"I can't "}}]}"#,
                r#"{"choices":[{"delta":{"refusal":"help."},"finish_reason":"stop"}]}"#,
            ]),
            "I can't help.",
        ),
        (
            "anthropic/m",
            200,
            events(&[r#"{"type":"message_delta","delta":{"stop_reason":"refusal"}}"#]),
            "refusal",
        ),
        (
            "gemini/m",
            200,
            events(&[r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}"#]),
            "PROHIBITED_CONTENT",
        ),
        (
            "openai/m",
            400,
            r#"{"error":{"code":"content_filter","message":"The response was filtered"}}"#
                .to_owned(),
            "filtered",
        ),
    ] {
        let reply = reply(status, "", &body);
        let server = Server::start([reply.clone(), reply]).await;
        let llm = at(&server, model_id, "", json!({}));
        match error(&llm).await {
            LlmError::Refused(detail) => {
                server.only();
                let told = format!("{detail}: {}", said(&llm).await);
                assert!(told.contains(words), "{told}");
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Servers whose strings are UTF-16 do that.
#[tokio::test(start_paused = true)]
async fn a_character_cut_between_two_events_is_put_together_on_every_wire() {
    let halves = [r"城\ud83c", r"\udfef。"];
    for (model_id, path, events) in [
        (
            "openai/m",
            "/v1",
            events(&[
                &format!(
                    r#"{{"choices":[{{"delta":{{"content":"{}"}}}}]}}"#,
                    halves[0]
                ),
                &format!(
                    r#"{{"choices":[{{"delta":{{"content":"{}"}},"finish_reason":"stop"}}]}}"#,
                    halves[1]
                ),
                "[DONE]",
            ]),
        ),
        (
            "anthropic/m",
            "",
            events(&[
                &format!(
                    r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{}"}}}}"#,
                    halves[0]
                ),
                &format!(
                    r#"{{"type":"content_block_delta","index":0,"delta":{{"type":"text_delta","text":"{}"}}}}"#,
                    halves[1]
                ),
                r#"{"type":"message_stop"}"#,
            ]),
        ),
        (
            "gemini/m",
            "",
            events(&[
                &format!(
                    r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{}"}}]}}}}]}}"#,
                    halves[0]
                ),
                &format!(
                    r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{}"}}]}},"finishReason":"STOP"}}]}}"#,
                    halves[1]
                ),
            ]),
        ),
        (
            "ollama/m",
            "",
            format!(
                "{{\"message\":{{\"content\":\"{}\"}}}}\n{{\"message\":{{\"content\":\"{}\"}},\"done\":true}}\n",
                halves[0], halves[1]
            ),
        ),
    ] {
        let server = Server::start([reply(200, "", &events)]).await;
        let (result, record) = call(&at(&server, model_id, path, json!({}))).await;
        assert_eq!(
            (result.unwrap().text.as_str(), record.attempts),
            ("城🏯。", 1),
            "{model_id}"
        );
    }
}
