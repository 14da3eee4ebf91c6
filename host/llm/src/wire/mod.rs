//! The providers' wire formats: how each writes a request, and what the events of its answers mean. No input or output
//! here; `http` does that.
//!
//! Every answer is streamed, so that a server that stalls is noticed long before a whole answer would be due. Every
//! format has one JSON object per line, as a server-sent event or alone, and every answer has an end mark. Without it
//! the answer was cut off, even if the connection was closed in good order.

pub(super) mod anthropic;
pub(super) mod gemini;
mod lenient;
pub(super) mod ollama;
pub(super) mod openai;
mod text;

use lenient::{any_text, lenient, lenient_bool, token_count};
use myao_plugin::llm::{Completion, FinishReason, Request};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use text::{Piece, Text};

use super::fault::Fault;

/// The user's turn, for providers that refuse a request without one. A full stop asks for nothing, in any language.
const NEUTRAL_TURN: &str = ".";

/// A model behind a provider's API.
pub(super) struct ModelApi {
    /// The address of requests.
    pub(super) url: reqwest::Url,
    /// The longest answer that the configuration allows, in tokens.
    pub(super) max_tokens: Option<u32>,
    pub(super) wire: Box<dyn Wire>,
}

impl ModelApi {
    /// The body of a request. Its answer is limited by the request and by the configuration.
    pub(super) fn body(&self, request: &Request) -> Value {
        let limit = self.max_tokens.unwrap_or(u32::MAX);
        self.wire.body(request, request.max_tokens.min(limit))
    }
}

/// A provider's wire format, for one model.
pub(super) trait Wire: Send + Sync {
    /// The headers besides the content type.
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)>;

    /// The body of a request whose answer may have so many tokens.
    fn body(&self, request: &Request, max_tokens: u32) -> Value;

    /// Returns true if events are server-sent (`data: …`), false if they are lines of JSON.
    fn is_server_sent(&self) -> bool {
        true
    }

    /// Adds one event to the answer.
    ///
    /// # Errors
    /// If the event reports an error, or cannot be read.
    fn read(&self, event: &str, answer: &mut Answer) -> Result<(), Fault>;
}

/// An answer, or the part of it that has arrived.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Answer {
    pub(super) text: Text,
    /// The model's refusal, in place of a text (OpenAI).
    pub(super) refusal: String,
    pub(super) model: Option<String>,
    pub(super) finish_reason: Option<FinishReason>,
    pub(super) input_tokens: Option<u32>,
    pub(super) output_tokens: Option<u32>,
    pub(super) cached_tokens: Option<u32>,
    pub(super) progress: Progress,
}

impl Answer {
    /// The answer for the component. `asked` is the model, if the server does not name one.
    pub(super) fn into_completion(self, asked: &str) -> Completion {
        Completion {
            text: self.text.into_string(),
            finish_reason: self.finish_reason.unwrap_or(FinishReason::Other),
            model: self.model.unwrap_or_else(|| asked.to_owned()),
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
        }
    }
}

/// How far an answer has arrived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Progress {
    /// The text is not whole.
    #[default]
    Unfinished,
    /// The text is whole; token counts may follow.
    Finished,
    /// Nothing follows.
    Ended,
}

/// Reads one event, or the error in it.
fn event<T: DeserializeOwned>(event: &str) -> Result<T, Fault> {
    let WithError { error } = lenient(event);
    match error.filter(is_error) {
        Some(error) => Err(Fault::in_stream(&error)),
        None => serde_json::from_str(event).map_err(|error| unreadable(event, &error)),
    }
}

/// Returns true if the field contains an error: some servers send an empty one in every event.
fn is_error(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(_) => false,
        Value::Number(number) => number.as_i64() != Some(0),
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// The error in an event, the same in all formats.
#[derive(Default, Deserialize)]
struct WithError {
    error: Option<Value>,
}

fn unreadable(event: &str, error: &serde_json::Error) -> Fault {
    let detail = "the answer holds something that is not an event of the API";
    Fault::unreadable(detail, format!("{error}: {event}"))
}

/// The schema of the answer, if the request asks for JSON.
fn answer_schema(request: &Request) -> Option<Value> {
    serde_json::from_str(request.answer_schema.as_deref()?).ok()
}

/// Sets the parameters of the configuration; null removes the key.
fn set_all(body: &mut Map<String, Value>, params: &Map<String, Value>) {
    for (key, value) in params {
        if value.is_null() {
            body.shift_remove(key);
        } else {
            body.insert(key.clone(), value.clone());
        }
    }
}

/// Renames a parameter to the provider's name; a parameter that has that name already is kept.
fn rename(params: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = params.shift_remove(from) {
        params.entry(to).or_insert(value);
    }
}

/// The header with a bearer token.
pub(super) fn bearer(key: Option<&str>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {key}")))
        .into_iter()
        .collect()
}
