//! OpenAI-compatible servers: one call to `BASE_URL/chat/completions`
//! (<https://platform.openai.com/docs/api-reference/chat>).

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Completion, FinishReason, Llm, LlmError, Request};

/// The whole call, the model's thinking included, where nothing else is set.
const CALL_TIMEOUT: Duration = Duration::from_secs(300);
/// How much of an error's body is passed on.
const MAX_DETAIL_CHARS: usize = 300;

/// A model behind an OpenAI-compatible server.
pub struct OpenAiCompatible {
    client: reqwest::Client,
    url: String,
    model: String,
    /// Sent as a bearer token; never logged or returned.
    api_key: Option<String>,
    params: Map<String, Value>,
    timeout: Duration,
}

impl OpenAiCompatible {
    /// A client for `model` at `base_url` (`https://api.openai.com/v1`). `params` go into every request
    /// as they are (`temperature`, …); a `max_tokens` among them is an upper limit.
    ///
    /// # Errors
    /// [`LlmError::Other`] where the system's TLS cannot be set up.
    pub fn new(
        base_url: &str,
        model: &str,
        api_key: Option<String>,
        params: Map<String, Value>,
    ) -> Result<Self, LlmError> {
        let client = reqwest::Client::builder()
            .build()
            .map_err(|error| LlmError::Other(error.to_string()))?;
        Ok(Self {
            client,
            url: format!("{}/chat/completions", base_url.trim_end_matches('/')),
            model: model.to_owned(),
            api_key,
            params,
            timeout: CALL_TIMEOUT,
        })
    }

    /// The same with another limit for the whole call.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    fn body(&self, request: &Request) -> Value {
        let mut body = self.params.clone();
        let most = body
            .get("max_tokens")
            .and_then(Value::as_u64)
            .unwrap_or(u64::MAX);
        body.insert("model".to_owned(), json!(self.model));
        body.insert(
            "messages".to_owned(),
            json!([{ "role": "system", "content": request.system_prompt }]),
        );
        body.insert(
            "max_tokens".to_owned(),
            json!(u64::from(request.max_tokens).min(most)),
        );
        Value::Object(body)
    }
}

#[derive(Deserialize)]
struct Answer {
    model: Option<String>,
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: AnswerMessage,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct AnswerMessage {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u32>,
    completion_tokens: Option<u32>,
}

#[async_trait::async_trait]
impl Llm for OpenAiCompatible {
    async fn complete(&self, request: Request) -> Result<Completion, LlmError> {
        let call = self.client.post(&self.url).timeout(self.timeout);
        let mut call = call.json(&self.body(&request));
        if let Some(key) = &self.api_key {
            call = call.bearer_auth(key);
        }
        let response = call
            .send()
            .await
            .map_err(|error| self.transport_error(error))?;
        let status = response.status();
        let retry_after = response
            .headers()
            .get("retry-after")
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.parse().ok());
        let body = response
            .text()
            .await
            .map_err(|error| self.transport_error(error))?;
        if !status.is_success() {
            return Err(status_error(
                status.as_u16(),
                retry_after,
                &self.redact(&body),
            ));
        }
        let answer: Answer = serde_json::from_str(&body).map_err(|error| {
            let error = self.redact(&error.to_string());
            LlmError::Other(format!(
                "the answer of {} is no chat completion: {error}",
                self.url
            ))
        })?;
        self.completion(answer)
    }
}

impl OpenAiCompatible {
    fn transport_error(&self, error: reqwest::Error) -> LlmError {
        if error.is_timeout() {
            return LlmError::TimedOut;
        }
        // reqwest's own text ends at the first level; the cause says why.
        let mut detail = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            detail = format!("{detail}: {error}");
            cause = error.source();
        }
        LlmError::Unavailable(self.redact(&detail))
    }

    /// A server's words in one line of bounded length. A server may echo the key; it must not get further.
    fn redact(&self, text: &str) -> String {
        let text = match self.api_key.as_deref() {
            Some(key) if !key.is_empty() => text.replace(key, "[key]"),
            _ => text.to_owned(),
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ").chars().take(MAX_DETAIL_CHARS).collect()
    }

    fn completion(&self, answer: Answer) -> Result<Completion, LlmError> {
        let Some(choice) = answer.choices.into_iter().next() else {
            return Err(LlmError::Other("the answer has no choices".to_owned()));
        };
        if let Some(refusal) = choice.message.refusal.filter(|refusal| !refusal.is_empty()) {
            return Err(LlmError::Refused(self.redact(&refusal)));
        }
        Ok(Completion {
            text: choice.message.content.unwrap_or_default(),
            finish_reason: match choice.finish_reason.as_deref() {
                Some("stop") => FinishReason::Stop,
                Some("length") => FinishReason::Length,
                Some("content_filter") => FinishReason::ContentFilter,
                _ => FinishReason::Other,
            },
            model: answer.model.unwrap_or_else(|| self.model.clone()),
            input_tokens: answer.usage.as_ref().and_then(|usage| usage.prompt_tokens),
            output_tokens: answer
                .usage
                .as_ref()
                .and_then(|usage| usage.completion_tokens),
        })
    }
}

fn status_error(status: u16, retry_after: Option<u32>, body: &str) -> LlmError {
    let detail = format!("status {status}: {body}");
    match status {
        429 => LlmError::RateLimited(retry_after),
        408 | 504 => LlmError::TimedOut,
        400 | 413 if is_too_long(body) => LlmError::ContextTooLong(None),
        400..=499 => LlmError::InvalidRequest(detail),
        500..=599 => LlmError::Unavailable(detail),
        _ => LlmError::Other(detail),
    }
}

/// OpenAI's error code, and the words of vLLM and llama.cpp.
fn is_too_long(body: &str) -> bool {
    let body = body.to_lowercase();
    [
        "context_length_exceeded",
        "maximum context length",
        "exceed_context_size",
        "context size",
    ]
    .iter()
    .any(|words| body.contains(words))
}
