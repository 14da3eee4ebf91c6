//! Ollama's own API (<https://docs.ollama.com/api/chat>). Unlike its OpenAI-compatible API, it takes the size of the
//! context, and can refuse a longer prompt rather than cut it.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Answer, Fault, FinishReason, Piece, Progress, Request, Wire, answer_schema, any_text, bearer,
    event, lenient, lenient_bool, set_all, token_count,
};

/// Parameters that belong beside `options`, not in it.
const BESIDE: [&str; 5] = ["think", "keep_alive", "format", "truncate", "shift"];

/// A model that Ollama runs.
pub(crate) struct Ollama {
    model: String,
    /// Sent as `num_ctx`: without it, Ollama's context has a few thousand tokens, whatever the model's.
    context_window: Option<u32>,
    /// In `options`.
    params: Map<String, Value>,
    beside: Map<String, Value>,
}

impl Ollama {
    pub(crate) fn new(
        model: String,
        context_window: Option<u32>,
        mut params: Map<String, Value>,
    ) -> Self {
        let mut beside = Map::new();
        for key in BESIDE {
            if let Some(value) = params.shift_remove(key) {
                beside.insert(key.to_owned(), value);
            }
        }
        Self {
            model,
            context_window,
            params,
            beside,
        }
    }
}

impl Wire for Ollama {
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn is_server_sent(&self) -> bool {
        false
    }

    fn body(&self, request: &Request, max_tokens: u32) -> Value {
        let mut options = Map::new();
        options.insert("num_predict".to_owned(), json!(max_tokens));
        if let Some(tokens) = self.context_window {
            options.insert("num_ctx".to_owned(), json!(tokens));
        }
        set_all(&mut options, &self.params);
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(self.model));
        body.insert(
            "messages".to_owned(),
            json!([{ "role": "system", "content": request.system_prompt }]),
        );
        body.insert("options".to_owned(), Value::Object(options));
        body.insert("stream".to_owned(), json!(true));
        // An error is better than a memory of half the messages.
        body.insert("truncate".to_owned(), json!(false));
        if let Some(schema) = answer_schema(request) {
            body.insert("format".to_owned(), schema);
        }
        set_all(&mut body, &self.beside);
        Value::Object(body)
    }

    fn read(&self, line: &str, answer: &mut Answer) -> Result<(), Fault> {
        let chunk: Chunk = event(line)?;
        answer.model = chunk.model.or(answer.model.take());
        let message = chunk.message.unwrap_or_default();
        answer.text.push(&message.content.unwrap_or_default());
        if chunk.done {
            answer.progress = Progress::Ended;
            let counts: Counts = lenient(line);
            answer.input_tokens = counts.prompt_eval_count;
            answer.output_tokens = counts.eval_count;
            answer.finish_reason = Some(match chunk.done_reason.as_deref() {
                // Older versions give no reason.
                Some("stop") | None => FinishReason::Stop,
                Some("length") => FinishReason::Length,
                Some(_) => FinishReason::Other,
            });
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default, deserialize_with = "any_text")]
    model: Option<String>,
    message: Option<Message>,
    #[serde(default, deserialize_with = "lenient_bool")]
    done: bool,
    #[serde(default, deserialize_with = "any_text")]
    done_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Counts {
    #[serde(default, deserialize_with = "token_count")]
    prompt_eval_count: Option<u32>,
    #[serde(default, deserialize_with = "token_count")]
    eval_count: Option<u32>,
}

#[derive(Default, Deserialize)]
struct Message {
    content: Option<Piece>,
}
