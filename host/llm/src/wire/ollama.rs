//! Ollama's own API (<https://docs.ollama.com/api/chat>). Unlike its OpenAI-compatible one, it can be told the
//! size of the context, and not to cut a prompt that is longer.

use reqwest::Url;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Answer, Fault, FinishReason, Piece, Progress, Request, Wire, answer_schema, aside, bearer,
    count, event, flag, max_tokens, set_all, word,
};

/// Parameters that stand beside `options`, not in it.
const BESIDE: [&str; 5] = ["think", "keep_alive", "format", "truncate", "shift"];

/// A model that Ollama runs.
pub(crate) struct Ollama {
    url: Url,
    model: String,
    max_tokens: Option<u32>,
    /// Sent as `num_ctx`: without it, Ollama's context is a few thousand tokens, whatever the model's.
    context_window: Option<u32>,
    /// In `options`.
    params: Map<String, Value>,
    beside: Map<String, Value>,
}

impl Ollama {
    pub(crate) fn new(
        url: Url,
        model: String,
        max_tokens: Option<u32>,
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
            url,
            model,
            max_tokens,
            context_window,
            params,
            beside,
        }
    }
}

impl Wire for Ollama {
    fn url(&self) -> &Url {
        &self.url
    }

    fn max_tokens(&self) -> Option<u32> {
        self.max_tokens
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn is_server_sent(&self) -> bool {
        false
    }

    fn body(&self, request: &Request) -> Value {
        let mut options = Map::new();
        let most = max_tokens(request, self.max_tokens);
        options.insert("num_predict".to_owned(), json!(most));
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
            let counts: Counts = aside(line);
            answer.input_tokens = counts.prompt_eval_count;
            answer.output_tokens = counts.eval_count;
            answer.finish_reason = Some(match chunk.done_reason.as_deref() {
                // Older versions say nothing.
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
    #[serde(default, deserialize_with = "word")]
    model: Option<String>,
    message: Option<Message>,
    #[serde(default, deserialize_with = "flag")]
    done: bool,
    #[serde(default, deserialize_with = "word")]
    done_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Counts {
    #[serde(default, deserialize_with = "count")]
    prompt_eval_count: Option<u32>,
    #[serde(default, deserialize_with = "count")]
    eval_count: Option<u32>,
}

#[derive(Default, Deserialize)]
struct Message {
    content: Option<Piece>,
}
