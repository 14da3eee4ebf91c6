//! OpenAI's chat completions (<https://platform.openai.com/docs/api-reference/chat>), which Azure, vLLM, llama.cpp,
//! Ollama and most others also have.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::{
    Answer, Fault, FinishReason, Piece, Progress, Request, Wire, answer_schema, any_text, bearer,
    event, lenient, set_all, token_count,
};

/// Models of OpenAI that take the output limit under its newer name only.
const MAX_COMPLETION_TOKENS_MODELS: [&str; 5] = ["o1", "o3", "o4", "gpt-5", "gpt-6"];

/// A model behind this API.
pub(crate) struct OpenAi {
    pub(crate) model: String,
    /// Azure takes its keys in a header of its own.
    pub(crate) is_azure: bool,
    /// True if the output limit has the newer name, `max_completion_tokens`.
    pub(crate) has_newer_limit: bool,
    pub(crate) params: Map<String, Value>,
}

impl OpenAi {
    /// Returns true if a model takes its output limit under the newer name only.
    pub(crate) fn is_newer(model: &str) -> bool {
        MAX_COMPLETION_TOKENS_MODELS
            .iter()
            .any(|name| model.starts_with(name))
    }
}

impl Wire for OpenAi {
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        match key {
            Some(key) if self.is_azure => vec![("api-key", key.to_owned())],
            key => bearer(key),
        }
    }

    fn body(&self, request: &Request, max_tokens: u32) -> Value {
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(self.model));
        body.insert(
            "messages".to_owned(),
            json!([{ "role": "system", "content": request.system_prompt }]),
        );
        let limit = if self.has_newer_limit {
            "max_completion_tokens"
        } else {
            "max_tokens"
        };
        body.insert(limit.to_owned(), json!(max_tokens));
        body.insert("stream".to_owned(), json!(true));
        body.insert(
            "stream_options".to_owned(),
            json!({ "include_usage": true }),
        );
        if let Some(schema) = answer_schema(request) {
            let schema = json!({ "name": "answer", "strict": true, "schema": schema });
            let format = json!({ "type": "json_schema", "json_schema": schema });
            body.insert("response_format".to_owned(), format);
        }
        set_all(&mut body, &self.params);
        Value::Object(body)
    }

    fn read(&self, data: &str, answer: &mut Answer) -> Result<(), Fault> {
        if data == "[DONE]" {
            if answer.progress == Progress::Finished {
                answer.progress = Progress::Ended;
            }
            return Ok(());
        }
        let chunk: Chunk = event(data)?;
        if chunk
            .model
            .as_deref()
            .is_some_and(|model| !model.is_empty())
        {
            answer.model = chunk.model;
        }
        if let WithUsage { usage: Some(usage) } = lenient(data) {
            answer.input_tokens = usage.prompt_tokens;
            answer.output_tokens = usage.completion_tokens;
            answer.cached_tokens = usage.prompt_tokens_details.cached_tokens;
        }
        // Azure begins with a chunk without choices; the token counts come in one, too.
        let Some(choice) = chunk.choices.into_iter().flatten().next() else {
            return Ok(());
        };
        let delta = choice.delta.unwrap_or_default();
        answer.text.push(&delta.content.unwrap_or_default());
        answer.refusal += delta.refusal.as_deref().unwrap_or_default();
        if let Some(reason) = choice.finish_reason {
            answer.progress = Progress::Finished;
            answer.finish_reason = Some(match reason.as_str() {
                "stop" => FinishReason::Stop,
                "length" => FinishReason::Length,
                "content_filter" => FinishReason::ContentFilter,
                _ => FinishReason::Other,
            });
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default, deserialize_with = "any_text")]
    model: Option<String>,
    /// Required in every event; null stands for an empty list.
    #[serde(deserialize_with = "Option::deserialize")]
    choices: Option<Vec<Choice>>,
}

#[derive(Default, Deserialize)]
struct WithUsage {
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    #[serde(default, deserialize_with = "any_text")]
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Delta {
    content: Option<Piece>,
    #[serde(default, deserialize_with = "any_text")]
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    #[serde(default, deserialize_with = "token_count")]
    prompt_tokens: Option<u32>,
    #[serde(default, deserialize_with = "token_count")]
    completion_tokens: Option<u32>,
    #[serde(default, deserialize_with = "details")]
    prompt_tokens_details: PromptDetails,
}

#[derive(Default, Deserialize)]
struct PromptDetails {
    #[serde(default, deserialize_with = "token_count")]
    cached_tokens: Option<u32>,
}

fn details<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PromptDetails, D::Error> {
    let details = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(details).unwrap_or_default())
}
