//! The providers' own words: how each writes a request and what the events of its answers mean. No input or
//! output here; `http` does that.
//!
//! Every answer is streamed: a server that stalls is noticed by its silence, long before a whole answer would
//! be due. Every wire sends one JSON object per line, as server-sent events or bare, and every answer has an
//! end of its own; one without it was cut off, however orderly the connection ended.

pub(super) mod anthropic;
pub(super) mod gemini;
mod lenient;
pub(super) mod ollama;
pub(super) mod openai;
mod text;

use lenient::{aside, count, flag, word};
use myao_plugin::llm::{Completion, FinishReason, Request};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use text::{Piece, Text};

use super::fault::Fault;

/// The user's turn for providers that take no request without one. A full stop asks for nothing and is in no
/// language.
const NEUTRAL_TURN: &str = ".";

/// One provider's API, for one model.
pub(super) trait Wire: Send + Sync {
    /// Where requests go.
    fn url(&self) -> &reqwest::Url;

    /// The longest answer that the configuration allows, in tokens.
    fn max_tokens(&self) -> Option<u32>;

    /// The headers beside the content type.
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)>;

    /// The body of a request.
    fn body(&self, request: &Request) -> Value;

    /// Whether events are server-sent (`data: …`), or bare lines.
    fn is_server_sent(&self) -> bool {
        true
    }

    /// Adds one event to the answer.
    ///
    /// # Errors
    /// What the event says, or that it is none.
    fn read(&self, event: &str, answer: &mut Answer) -> Result<(), Fault>;
}

/// An answer as far as it has come.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Answer {
    pub(super) text: Text,
    /// What the model says instead of an answer (OpenAI).
    pub(super) refusal: String,
    pub(super) model: Option<String>,
    pub(super) finish_reason: Option<FinishReason>,
    pub(super) input_tokens: Option<u32>,
    pub(super) output_tokens: Option<u32>,
    pub(super) cached_tokens: Option<u32>,
    pub(super) progress: Progress,
}

impl Answer {
    /// What the component is given. `asked` is the model, where the server names none.
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

/// How far an answer is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Progress {
    /// More must come.
    #[default]
    Unfinished,
    /// The text is whole; counts may follow.
    Finished,
    /// Nothing follows.
    Ended,
}

/// One event, as the wire knows it, or the error in it.
fn event<T: DeserializeOwned>(event: &str) -> Result<T, Fault> {
    let Failed { error } = aside(event);
    match error.filter(says_something) {
        Some(error) => Err(Fault::in_stream(&error)),
        None => serde_json::from_str(event).map_err(|error| garbled(event, &error)),
    }
}

/// Some servers have a field for errors in every event, with nothing in it.
fn says_something(error: &Value) -> bool {
    match error {
        Value::Null | Value::Bool(_) => false,
        Value::Number(number) => number.as_i64() != Some(0),
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
    }
}

/// The error that an event may be, on all wires.
#[derive(Default, Deserialize)]
struct Failed {
    error: Option<Value>,
}

fn garbled(event: &str, error: &serde_json::Error) -> Fault {
    let detail = "the answer holds something that is no event of its API";
    Fault::garbled(detail, format!("{error}: {event}"))
}

/// The schema of the answer, where it is to be JSON.
fn answer_schema(request: &Request) -> Option<Value> {
    serde_json::from_str(request.answer_schema.as_deref()?).ok()
}

/// What the request asks for at most, and the configuration.
fn max_tokens(request: &Request, configured: Option<u32>) -> u32 {
    configured.map_or(request.max_tokens, |most| most.min(request.max_tokens))
}

/// Sets the parameters of the configuration; one that is null takes the key away.
fn set_all(body: &mut Map<String, Value>, params: &Map<String, Value>) {
    for (key, value) in params {
        if value.is_null() {
            body.shift_remove(key);
        } else {
            body.insert(key.clone(), value.clone());
        }
    }
}

/// Renames a parameter to what a provider calls it; one that has that name already stays.
fn rename(params: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = params.shift_remove(from) {
        params.entry(to).or_insert(value);
    }
}

/// Header with a bearer token.
fn bearer(key: Option<&str>) -> Vec<(&'static str, String)> {
    key.map(|key| ("authorization", format!("Bearer {key}")))
        .into_iter()
        .collect()
}
