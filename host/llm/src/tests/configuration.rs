//! From the configuration to a model.

use myao_plugin::llm::NoLlm;
use serde_json::json;

use super::super::testing::{Server, openai, reply};
use super::*;
use crate::configured_model;
use crate::tokens::TokenCounter;

fn message(value: Value) -> String {
    build(&agent(value)).err().expect("an error").to_string()
}

#[test]
fn every_providers_address_is_known_or_asked_for() {
    for (model_id, url) in [
        (
            "openai/gpt-4o",
            "https://api.openai.com/v1/chat/completions",
        ),
        (
            "anthropic/claude-x",
            "https://api.anthropic.com/v1/messages",
        ),
        (
            "gemini/gemini-x",
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-x:streamGenerateContent?alt=sse",
        ),
        ("ollama/llama", "http://localhost:11434/api/chat"),
        ("ollama_chat/llama", "http://localhost:11434/api/chat"),
        (
            "openrouter/openai/gpt-4o",
            "https://openrouter.ai/api/v1/chat/completions",
        ),
        ("groq/m", "https://api.groq.com/openai/v1/chat/completions"),
        ("mistral/m", "https://api.mistral.ai/v1/chat/completions"),
        ("deepseek/m", "https://api.deepseek.com/v1/chat/completions"),
        ("xai/m", "https://api.x.ai/v1/chat/completions"),
        (
            "together_ai/m",
            "https://api.together.xyz/v1/chat/completions",
        ),
    ] {
        let llm = build(&agent(json!({ "model_id": model_id }))).unwrap();
        assert_eq!(llm.model_api.url.as_str(), url);
    }
    for model_id in ["azure/m", "hosted_vllm/m", "lm_studio/m"] {
        assert!(
            message(json!({ "model_id": model_id })).contains("agents.memory.client_args.base_url")
        );
    }
}

#[test]
fn wrong_values_are_named_and_never_shown() {
    for (key, value, words) in [
        (
            "client_args",
            json!({ "api_kye": KEY }),
            "agents.memory.client_args.api_kye: not known; known are api_key",
        ),
        (
            "client_args",
            json!({ "api_key": 123_456 }),
            "agents.memory.client_args.api_key: expected a text",
        ),
        (
            "client_args",
            json!({ "api_base": format!("ftp://{KEY}") }),
            "agents.memory.client_args.api_base: expected an address",
        ),
        (
            "client_args",
            json!({ "base_url": KEY }),
            "agents.memory.client_args.base_url: expected an address",
        ),
        (
            "client_args",
            json!({ "timeout": 0 }),
            "agents.memory.client_args.timeout: expected seconds",
        ),
        (
            "client_args",
            json!({ "timeout": "soon" }),
            "agents.memory.client_args.timeout: expected seconds",
        ),
        (
            "client_args",
            json!({ "max_retries": -1 }),
            "agents.memory.client_args.max_retries: expected a whole number",
        ),
        (
            "params",
            json!({ "max_tokens": "many" }),
            "agents.memory.params.max_tokens: expected a whole number",
        ),
        (
            "params",
            json!({ "stream": false }),
            "agents.memory.params.stream: myao sets this itself",
        ),
        (
            "params",
            json!({ "messages": [] }),
            "agents.memory.params.messages: myao sets this itself",
        ),
    ] {
        let message = message(json!({ "model_id": "openai/m", key: value }));
        assert!(message.contains(words), "{message}");
        assert!(
            !message.contains(KEY) && !message.contains("123456"),
            "{message}"
        );
    }
    let message = message(json!({ "model_id": "cohere/m" }));
    assert!(
        message.contains("the provider `cohere` is not known; known are openai, azure, anthropic"),
        "{message}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_key_is_the_configured_one_or_the_providers_variable() {
    let variable = |name: &str| (name == "OPENAI_API_KEY").then(|| "from-variable".to_owned());
    for (api_key, sent) in [
        (Some(KEY), KEY),
        (Some(""), "from-variable"),
        (None, "from-variable"),
    ] {
        let server = Server::start([openai("a")]).await;
        let mut value =
            json!({ "model_id": "openai/m", "client_args": { "base_url": server.address } });
        if let Some(key) = api_key {
            value["client_args"]["api_key"] = json!(key);
        }
        call(&build_in(&agent(value), &variable).unwrap())
            .await
            .0
            .unwrap();
        assert_eq!(
            server.only().headers["authorization"],
            format!("Bearer {sent}")
        );
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_key_a_provider_is_not_called_but_a_server_of_ones_own_is() {
    let llm = build(&agent(json!({ "model_id": "anthropic/claude-x" }))).unwrap();
    let (result, record) = call(&llm).await;
    match result.unwrap_err() {
        LlmError::InvalidRequest(detail) => {
            assert!(detail.contains("ANTHROPIC_API_KEY"), "{detail}")
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(record.attempts, 0);
    let server = Server::start([openai("a")]).await;
    let value = json!({ "model_id": "openai/m", "client_args": { "base_url": server.address } });
    call(&build(&agent(value)).unwrap()).await.0.unwrap();
    assert_eq!(server.only().headers.get("authorization"), None);
}

#[test]
fn timeouts_retries_and_limits_are_read() {
    let llm = build(&agent(json!({
        "model_id": "openai/m",
        "client_args": {
            "timeout": "90", "first_token_timeout": 30.5, "stall_timeout": 10, "num_retries": 0,
        },
        "limits": { "calls_in_flight": 3 },
    })))
    .unwrap();
    let times = [
        llm.timeouts.call,
        llm.timeouts.first_token,
        llm.timeouts.stall,
    ];
    assert_eq!(times.map(|time| time.as_secs_f64()), [90.0, 30.5, 10.0]);
    assert_eq!((llm.retries.max_attempts, llm.calls_in_flight()), (1, 3));
}

#[test]
fn the_context_window_is_the_configured_one_or_the_models() {
    for (value, window) in [
        (json!({ "model_id": "openai/gpt-4o" }), Some(128_000)),
        (
            json!({ "model_id": "openai/gpt-4o", "context_window": 9000 }),
            Some(9000),
        ),
        (json!({ "model_id": "openai/mine" }), None),
        (
            json!({ "model_id": "ollama/mine", "params": { "num_ctx": 8192 } }),
            Some(8192),
        ),
    ] {
        assert_eq!(
            build(&agent(value.clone())).unwrap().context_window(),
            window,
            "{value}"
        );
    }
}

#[test]
fn tokens_are_counted_as_the_model_counts_them() {
    let llm = build(&agent(json!({ "model_id": "azure/gpt-4o", "client_args": {
        "base_url": "https://x.openai.azure.com", "api_version": "1",
    } })))
    .unwrap();
    assert_eq!(llm.counter, TokenCounter::O200k);
    assert_eq!(llm.count_tokens("おはようございます"), 4);
    let llm = build(&agent(json!({ "model_id": "gemini/gemini-x" }))).unwrap();
    assert_eq!(llm.counter, TokenCounter::Estimate);
}

#[tokio::test]
async fn without_a_model_every_call_is_refused() {
    let llm = configured_model("memory", &Agent::default()).unwrap();
    let error = llm.complete(request("x"), &()).await.unwrap_err();
    assert_eq!(Err(error), NoLlm.complete(request("x"), &()).await);
}

#[test]
fn identity_tells_models_apart_and_holds_no_key() {
    let base = json!({ "model_id": "openai/m", "client_args": { "api_key": KEY } });
    let with = |key: &str, value: Value| {
        let mut changed = base.clone();
        changed[key] = value;
        let llm = build(&agent(changed)).unwrap();
        llm.identity().unwrap().clone()
    };
    let identity = with("params", json!({}));
    let other_key = with("client_args", json!({ "api_key": "another-key" }));
    assert_eq!(identity, other_key);
    let address = with("client_args", json!({ "base_url": "http://elsewhere" }));
    let warmer = with("params", json!({ "temperature": 1 }));
    assert!(identity != address && identity != warmer && address != warmer);
    // Only Ollama gets the window.
    assert_eq!(identity, with("context_window", json!(9_000)));
    let ollama = |window: u32| {
        let model = json!({ "model_id": "ollama/m", "context_window": window });
        build(&agent(model)).unwrap().identity().unwrap().clone()
    };
    assert!(ollama(4_000) != ollama(8_000));
    assert!(!format!("{identity:?}").contains(KEY));
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_the_server_names_is_told_and_not_kept() {
    const TOO_LONG: &str = r#"{"error":{"code":"context_length_exceeded","message":"MESSAGE"}}"#;
    for (message, learned) in [
        ("too long", None),
        (
            "This model's maximum context length is 50 tokens.",
            Some(50),
        ),
        // More than the prompt and the answer have by our count.
        (
            "This model's maximum context length is 90000 tokens.",
            Some(90_000),
        ),
    ] {
        let body = TOO_LONG.replace("MESSAGE", message);
        let server = Server::start([reply(400, "", &body)]).await;
        let llm = openai_at(&server, json!({}));
        assert_eq!(llm.context_window(), None);
        let (result, _) = call(&llm).await;
        assert_eq!(result, Err(LlmError::ContextTooLong(learned)));
        assert_eq!(
            llm.context_window(),
            None,
            "{message}: another call may be for another place"
        );
    }
}
