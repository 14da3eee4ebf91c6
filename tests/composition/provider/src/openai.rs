//! OpenAI's chat completions, which most servers of models also have. Some models of OpenAI itself want `max_tokens` under its
//! newer name, `max_completion_tokens`.

use serde_json::{Map, Value, json};
use wasip2::http::types::{ErrorCode, FutureIncomingResponse};

use crate::bindings::exports::myao::memory::llm::{Completion, FinishReason, LlmError, Request};
use crate::config::Config;
use crate::http::{self, Fault, Response};

/// A question that was sent.
pub(crate) struct Asked {
    response: FutureIncomingResponse,
    model: String,
}

/// Sends a question.
pub(crate) fn ask(config: &Config, request: &Request) -> Result<Asked, LlmError> {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(config.model));
    let message = json!({ "role": "system", "content": request.system_prompt });
    body.insert("messages".to_owned(), json!([message]));
    body.insert("max_tokens".to_owned(), json!(request.max_tokens));
    if let Some(schema) = &request.answer_schema {
        let schema: Value = serde_json::from_str(schema)
            .map_err(|error| LlmError::InvalidRequest(error.to_string()))?;
        let schema = json!({ "name": "answer", "strict": true, "schema": schema });
        let format = json!({ "type": "json_schema", "json_schema": schema });
        body.insert("response_format".to_owned(), format);
    }
    let body = Value::Object(body).to_string();
    let url = format!("{}/chat/completions", config.base_url.trim_end_matches('/'));
    let response = http::send(&url, config.key.as_deref(), body.as_bytes()).map_err(fault)?;
    Ok(Asked {
        response,
        model: config.model.clone(),
    })
}

impl Asked {
    /// Waits for the answer. It is not asked for again: a run of this example is short, and can be repeated whole.
    pub(crate) fn answer(self) -> Result<Completion, LlmError> {
        let response = http::receive(&self.response).map_err(fault)?;
        let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        if response.status != 200 {
            return Err(refusal(&response, &body));
        }
        completion(&body, self.model)
    }
}

fn completion(body: &Value, model: String) -> Result<Completion, LlmError> {
    let text = |path: &str| body.pointer(path).and_then(Value::as_str);
    if let Some(reason) = text("/choices/0/message/refusal") {
        return Err(LlmError::Refused(reason.to_owned()));
    }
    if body.pointer("/choices/0/message").is_none() {
        return Err(LlmError::Unavailable(
            "the server's answer is no chat completion".to_owned(),
        ));
    }
    let tokens = |path: &str| {
        body.pointer(path)
            .and_then(Value::as_u64)
            .and_then(|count| u32::try_from(count).ok())
    };
    Ok(Completion {
        text: text("/choices/0/message/content")
            .unwrap_or_default()
            .to_owned(),
        finish_reason: match text("/choices/0/finish_reason") {
            Some("stop") => FinishReason::Stop,
            Some("length") => FinishReason::Length,
            Some("content_filter") => FinishReason::ContentFilter,
            _ => FinishReason::Other,
        },
        model: text("/model").map_or(model, str::to_owned),
        input_tokens: tokens("/usage/prompt_tokens"),
        output_tokens: tokens("/usage/completion_tokens"),
    })
}

/// The contract's error for another status than 200: it says whether a later attempt can help.
fn refusal(response: &Response, body: &Value) -> LlmError {
    let text = |path: &str| body.pointer(path).and_then(Value::as_str);
    let said = format!(
        "{}: {}",
        response.status,
        text("/error/message").unwrap_or("no reason given")
    );
    match response.status {
        _ if text("/error/code") == Some("context_length_exceeded") => {
            LlmError::ContextTooLong(None)
        }
        429 => LlmError::RateLimited(response.retry_after),
        408 | 504 => LlmError::TimedOut,
        400..500 => LlmError::InvalidRequest(said),
        _ => LlmError::Unavailable(said),
    }
}

fn fault(fault: Fault) -> LlmError {
    match fault {
        Fault::Request(what) => LlmError::InvalidRequest(what.to_owned()),
        Fault::Connection(
            ErrorCode::ConnectionTimeout
            | ErrorCode::ConnectionReadTimeout
            | ErrorCode::HttpResponseTimeout,
        ) => LlmError::TimedOut,
        Fault::Connection(code) => LlmError::Unavailable(code.to_string()),
        Fault::Body(error) => LlmError::Unavailable(error.to_string()),
    }
}
