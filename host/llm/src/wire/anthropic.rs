//! Anthropic's messages (<https://docs.claude.com/en/api/messages-streaming>).

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Answer, Fault, FinishReason, NEUTRAL_TURN, Piece, Progress, Request, Wire, any_text, event,
    lenient, rename, set_all, token_count,
};

/// The version of the API that these events belong to.
const VERSION: &str = "2023-06-01";

/// One of Anthropic's models.
pub(crate) struct Anthropic {
    model: String,
    params: Map<String, Value>,
}

impl Anthropic {
    pub(crate) fn new(model: String, mut params: Map<String, Value>) -> Self {
        rename(&mut params, "stop", "stop_sequences");
        if let Some(one @ Value::String(_)) = params.get_mut("stop_sequences") {
            *one = json!([one]);
        }
        Self { model, params }
    }
}

impl Wire for Anthropic {
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        let mut headers = vec![("anthropic-version", VERSION.to_owned())];
        headers.extend(key.map(|key| ("x-api-key", key.to_owned())));
        headers
    }

    fn body(&self, request: &Request, max_tokens: u32) -> Value {
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(self.model));
        body.insert("system".to_owned(), json!(request.system_prompt));
        body.insert(
            "messages".to_owned(),
            json!([{ "role": "user", "content": NEUTRAL_TURN }]),
        );
        body.insert("max_tokens".to_owned(), json!(max_tokens));
        body.insert("stream".to_owned(), json!(true));
        set_all(&mut body, &self.params);
        Value::Object(body)
    }

    fn read(&self, data: &str, answer: &mut Answer) -> Result<(), Fault> {
        let event: Event = event(data)?;
        let WithMessage { message } = lenient(data);
        if let Some(message) = message {
            answer.model = message.model.or(answer.model.take());
            message.usage.unwrap_or_default().add_to(answer);
        }
        if let Some(delta) = event.delta {
            answer.text.push(&delta.text.unwrap_or_default());
            if let Some(reason) = delta.stop_reason {
                answer.finish_reason = Some(finish_reason(&reason, answer)?);
            }
        }
        if let WithUsage { usage: Some(usage) } = lenient(data) {
            usage.add_to(answer);
        }
        if event.kind.as_deref() == Some("message_stop") {
            answer.progress = Progress::Ended;
        }
        Ok(())
    }
}

fn finish_reason(reason: &str, answer: &Answer) -> Result<FinishReason, Fault> {
    Ok(match reason {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "max_tokens" | "model_context_window_exceeded" => FinishReason::Length,
        "refusal" => {
            let text = answer.text.clone().into_string();
            return Err(Fault::refused("the model stopped with `refusal`", text));
        }
        _ => FinishReason::Other,
    })
}

/// `message_start` has a message; `content_block_delta` and `message_delta` have a delta. The starts and ends of blocks,
/// `ping`, and events that are added later have neither.
#[derive(Deserialize)]
struct Event {
    #[serde(default, rename = "type", deserialize_with = "any_text")]
    kind: Option<String>,
    delta: Option<Delta>,
}

#[derive(Default, Deserialize)]
struct WithMessage {
    message: Option<Message>,
}

#[derive(Default, Deserialize)]
struct WithUsage {
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default, deserialize_with = "any_text")]
    model: Option<String>,
    usage: Option<Usage>,
}

/// Reasoning comes in deltas without `text`.
#[derive(Deserialize)]
struct Delta {
    text: Option<Piece>,
    #[serde(default, deserialize_with = "any_text")]
    stop_reason: Option<String>,
}

/// `input_tokens` counts neither the tokens read from the cache nor those written to it.
#[derive(Default, Deserialize)]
struct Usage {
    #[serde(default, deserialize_with = "token_count")]
    input_tokens: Option<u32>,
    #[serde(default, deserialize_with = "token_count")]
    output_tokens: Option<u32>,
    #[serde(default, deserialize_with = "token_count")]
    cache_read_input_tokens: Option<u32>,
    #[serde(default, deserialize_with = "token_count")]
    cache_creation_input_tokens: Option<u32>,
}

impl Usage {
    fn add_to(&self, answer: &mut Answer) {
        if let Some(input) = self.input_tokens {
            let cached = self.cache_read_input_tokens.unwrap_or(0);
            let written = self.cache_creation_input_tokens.unwrap_or(0);
            answer.input_tokens = Some(input.saturating_add(cached).saturating_add(written));
            answer.cached_tokens = self.cache_read_input_tokens;
        }
        answer.output_tokens = self.output_tokens.or(answer.output_tokens);
    }
}
