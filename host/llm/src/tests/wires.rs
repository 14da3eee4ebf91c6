//! The whole request to each provider, and how its answer is read.

use std::time::Duration;

use myao_plugin::llm::FinishReason;
use serde_json::json;

use super::super::testing::{Server, events, openai, reply};
use super::*;

fn completion(model: &str, input: u32, output: u32) -> Completion {
    Completion {
        text: "要約です".to_owned(),
        finish_reason: FinishReason::Stop,
        model: model.to_owned(),
        input_tokens: Some(input),
        output_tokens: Some(output),
    }
}

#[tokio::test(start_paused = true)]
async fn openai_gets_one_system_message() {
    let server = Server::start([openai("要約です")]).await;
    let llm = at(&server, "openai/org/m", "/v1", json!({}));
    let (result, record) = call(&llm).await;
    assert_eq!(result.unwrap(), completion("m-1", 12, 3));
    assert_eq!(
        record,
        CallRecord {
            provider: "openai".to_owned(),
            model: "m-1".to_owned(),
            input_tokens: Some(12),
            output_tokens: Some(3),
            cached_tokens: Some(8),
            started_at: std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000),
            duration: Duration::ZERO,
            attempts: 1,
            finish_reason: Some(FinishReason::Stop),
            error: None,
        }
    );
    let received = server.only();
    assert_eq!(received.line, "POST /v1/chat/completions");
    assert_eq!(received.headers["authorization"], format!("Bearer {KEY}"));
    assert_eq!(received.headers["content-type"], "application/json");
    assert_eq!(
        received.body,
        json!({
            "model": "org/m",
            "messages": [{ "role": "system", "content": "要約してください" }],
            "max_tokens": 200,
            "stream": true,
            "stream_options": { "include_usage": true },
            "temperature": 0.3, "top_p": 0.9, "seed": 7, "stop": "END",
        })
    );
}

#[tokio::test(start_paused = true)]
async fn newer_models_of_openai_get_the_newer_name_of_the_limit() {
    for (model_id, params) in [
        (
            "openai/gpt-5-mini",
            json!({ "reasoning_effort": "minimal" }),
        ),
        ("openai/o3", json!({})),
        (
            "openai/mine",
            json!({ "max_tokens": null, "max_completion_tokens": 250 }),
        ),
    ] {
        let server = Server::start([openai("a")]).await;
        let llm = at(&server, model_id, "/v1", json!({ "params": params }));
        call(&llm).await.0.unwrap();
        let body = server.only().body;
        let most = if model_id == "openai/mine" { 250 } else { 200 };
        assert_eq!(body["max_completion_tokens"], json!(most), "{model_id}");
        assert_eq!(body.get("max_tokens"), None, "{model_id}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_parameter_that_is_null_takes_the_key_away() {
    let server = Server::start([openai("a")]).await;
    let params = json!({ "stream_options": null, "temperature": null });
    call(&at(&server, "openai/m", "/v1", json!({ "params": params })))
        .await
        .0
        .unwrap();
    let body = server.only().body;
    assert_eq!(
        (body.get("stream_options"), body.get("temperature")),
        (None, None)
    );
}

#[tokio::test(start_paused = true)]
async fn azure_is_called_at_its_deployment_or_its_newer_api() {
    let version = json!({ "client_args": { "api_version": "2024-10-21" } });
    for (path, more, line) in [
        (
            "",
            version,
            "POST /openai/deployments/my%20m/chat/completions?api-version=2024-10-21",
        ),
        ("/openai/v1/", json!({}), "POST /openai/v1/chat/completions"),
    ] {
        let server = Server::start([openai("a")]).await;
        call(&at(&server, "azure/my m", path, more))
            .await
            .0
            .unwrap();
        let received = server.only();
        assert_eq!(received.line, line);
        assert_eq!(received.headers["api-key"], KEY);
        assert_eq!(received.headers.get("authorization"), None);
    }
}

const ANTHROPIC: [&str; 8] = [
    r#"{"type":"message_start","message":{"id":"1","type":"message","role":"assistant","model":"claude-x-1","content":[],"stop_reason":null,"usage":{"input_tokens":10,"cache_read_input_tokens":5,"cache_creation_input_tokens":2,"output_tokens":1}}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"ping"}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"要約"}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"です"}}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":4}}"#,
    r#"{"type":"message_stop"}"#,
];

#[tokio::test(start_paused = true)]
async fn anthropic_gets_the_system_text_and_the_neutral_turn_that_it_insists_on() {
    for path in ["", "/v1", "/proxy/"] {
        let server = Server::start([reply(200, "", &events(&ANTHROPIC))]).await;
        let llm = at(
            &server,
            "anthropic/claude-x",
            path,
            json!({ "params": { "seed": null } }),
        );
        let (result, record) = call(&llm).await;
        assert_eq!(result.unwrap(), completion("claude-x-1", 17, 4));
        assert_eq!(record.cached_tokens, Some(5));
        let received = server.only();
        let line = if path == "/proxy/" {
            "POST /proxy/v1/messages"
        } else {
            "POST /v1/messages"
        };
        assert_eq!(received.line, line);
        assert_eq!(received.headers["x-api-key"], KEY);
        assert_eq!(received.headers["anthropic-version"], "2023-06-01");
        assert_eq!(
            received.body,
            json!({
                "model": "claude-x",
                "system": "要約してください",
                "messages": [{ "role": "user", "content": "." }],
                "max_tokens": 200,
                "stream": true,
                "temperature": 0.3, "top_p": 0.9, "stop_sequences": ["END"],
            })
        );
    }
}

const GEMINI: [&str; 3] = [
    r#"{"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"要約"}],"role":"model"}}],"usageMetadata":{"promptTokenCount":9},"modelVersion":"gemini-x-001"}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":"です"}],"role":"model"}}],"modelVersion":"gemini-x-001"}"#,
    r#"{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":4,"thoughtsTokenCount":6,"cachedContentTokenCount":3},"modelVersion":"gemini-x-001"}"#,
];

#[tokio::test(start_paused = true)]
async fn gemini_gets_the_system_text_and_the_neutral_turn_that_it_insists_on() {
    for path in ["", "/v1beta"] {
        // With CR LF at the end of lines.
        let body = events(&GEMINI).replace('\n', "\r\n");
        let server = Server::start([reply(200, "", &body)]).await;
        let more = json!({ "params": { "safety_settings": [{ "category": "c" }], "top_k": 3 } });
        let (result, record) = call(&at(&server, "gemini/gemini-x", path, more)).await;
        assert_eq!(result.unwrap(), completion("gemini-x-001", 9, 10));
        assert_eq!(record.cached_tokens, Some(3));
        let received = server.only();
        assert_eq!(
            received.line, "POST /v1beta/models/gemini-x:streamGenerateContent?alt=sse",
            "no key in the address"
        );
        assert_eq!(received.headers["x-goog-api-key"], KEY);
        assert_eq!(
            received.body,
            json!({
                "systemInstruction": { "parts": [{ "text": "要約してください" }] },
                "contents": [{ "role": "user", "parts": [{ "text": "." }] }],
                "generationConfig": {
                    "maxOutputTokens": 200, "temperature": 0.3, "seed": 7,
                    "topP": 0.9, "topK": 3, "stopSequences": ["END"],
                },
                "safetySettings": [{ "category": "c" }],
            })
        );
    }
}

const OLLAMA: &str = concat!(
    r#"{"model":"llama-x","message":{"role":"assistant","content":"要約"},"done":false}"#,
    "\n",
    r#"{"model":"llama-x","message":{"role":"assistant","content":"です"},"done":false}"#,
    "\n",
    r#"{"model":"llama-x","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":11,"eval_count":5}"#,
    "\n",
);

#[tokio::test(start_paused = true)]
async fn ollama_is_told_the_context_and_not_to_cut_the_prompt() {
    for provider in ["ollama", "ollama_chat"] {
        let server = Server::start([reply(200, "", OLLAMA)]).await;
        let more = json!({ "params": { "num_ctx": 8192, "keep_alive": "5m" } });
        let llm = at(&server, &format!("{provider}/llama-x"), "", more);
        let (result, _) = call(&llm).await;
        assert_eq!(result.unwrap(), completion("llama-x", 11, 5));
        assert_eq!(llm.context_window(), Some(8192));
        let received = server.only();
        assert_eq!(received.line, "POST /api/chat");
        assert_eq!(
            received.body,
            json!({
                "model": "llama-x",
                "messages": [{ "role": "system", "content": "要約してください" }],
                "options": {
                    "num_predict": 200, "num_ctx": 8192,
                    "temperature": 0.3, "top_p": 0.9, "seed": 7, "stop": "END",
                },
                "stream": true,
                "truncate": false,
                "keep_alive": "5m",
            })
        );
    }
}
