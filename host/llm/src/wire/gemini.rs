//! Google's Gemini (<https://ai.google.dev/api/generate-content>).

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Answer, Fault, FinishReason, NEUTRAL_TURN, Piece, Progress, Request, Wire, any_text, event,
    lenient, lenient_bool, set_all, token_count,
};
use crate::fault::code;

/// Gemini's names for OpenAI's parameters.
const NAMES: [(&str, &str); 7] = [
    ("top_p", "topP"),
    ("top_k", "topK"),
    ("stop", "stopSequences"),
    ("stop_sequences", "stopSequences"),
    ("presence_penalty", "presencePenalty"),
    ("frequency_penalty", "frequencyPenalty"),
    ("thinking_config", "thinkingConfig"),
];
/// Parameters that belong beside `generationConfig`, not in it.
const BESIDE: [(&str, &str); 4] = [
    ("safety_settings", "safetySettings"),
    ("safetySettings", "safetySettings"),
    ("cached_content", "cachedContent"),
    ("cachedContent", "cachedContent"),
];

/// One of Google's models.
pub(crate) struct Gemini {
    /// In `generationConfig`.
    params: Map<String, Value>,
    beside: Map<String, Value>,
}

impl Gemini {
    pub(crate) fn new(mut params: Map<String, Value>) -> Self {
        let mut beside = Map::new();
        for (from, to) in BESIDE {
            if let Some(value) = params.shift_remove(from) {
                beside.insert(to.to_owned(), value);
            }
        }
        for (from, to) in NAMES {
            super::rename(&mut params, from, to);
        }
        if let Some(one @ Value::String(_)) = params.get_mut("stopSequences") {
            *one = json!([one]);
        }
        Self { params, beside }
    }
}

impl Wire for Gemini {
    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        // Not in the URL, as in the examples of the documentation: URLs are logged.
        key.map(|key| ("x-goog-api-key", key.to_owned()))
            .into_iter()
            .collect()
    }

    fn body(&self, request: &Request, max_tokens: u32) -> Value {
        let mut config = Map::new();
        config.insert("maxOutputTokens".to_owned(), json!(max_tokens));
        if request.answer_schema.is_some() {
            // Without the schema: models differ in which ones they take, and the prompt describes it too.
            config.insert("responseMimeType".to_owned(), json!("application/json"));
        }
        set_all(&mut config, &self.params);
        let mut body = Map::new();
        body.insert(
            "systemInstruction".to_owned(),
            json!({ "parts": [{ "text": request.system_prompt }] }),
        );
        body.insert(
            "contents".to_owned(),
            json!([{ "role": "user", "parts": [{ "text": NEUTRAL_TURN }] }]),
        );
        body.insert("generationConfig".to_owned(), Value::Object(config));
        set_all(&mut body, &self.beside);
        Value::Object(body)
    }

    fn read(&self, data: &str, answer: &mut Answer) -> Result<(), Fault> {
        let chunk: Chunk = event(data)?;
        if let Some(reason) = chunk
            .prompt_feedback
            .and_then(|feedback| feedback.block_reason)
        {
            let reason = code(&reason).unwrap_or("(no code)");
            return Err(Fault::refused(
                format!("the prompt was blocked: {reason}"),
                "",
            ));
        }
        answer.model = chunk.model_version.or(answer.model.take());
        let WithUsage { usage_metadata } = lenient(data);
        if let Some(usage) = usage_metadata {
            let visible = usage.candidates_token_count;
            let thoughts = usage.thoughts_token_count.unwrap_or(0);
            answer.input_tokens = usage.prompt_token_count;
            answer.output_tokens = visible.map(|visible| visible.saturating_add(thoughts));
            answer.cached_tokens = usage.cached_content_token_count;
        }
        let Some(candidate) = chunk.candidates.into_iter().flatten().next() else {
            return Ok(());
        };
        let content = candidate.content.unwrap_or_default();
        for part in content.parts.into_iter().flatten() {
            if !part.thought {
                answer.text.push(&part.text.unwrap_or_default());
            }
        }
        if let Some(reason) = candidate.finish_reason {
            // The last chunk is the end mark.
            answer.progress = Progress::Finished;
            answer.finish_reason = Some(match reason.as_str() {
                "STOP" => FinishReason::Stop,
                "MAX_TOKENS" => FinishReason::Length,
                "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => {
                    FinishReason::ContentFilter
                }
                _ => FinishReason::Other,
            });
        }
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    candidates: Option<Vec<Candidate>>,
    prompt_feedback: Option<PromptFeedback>,
    #[serde(default, deserialize_with = "any_text")]
    model_version: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WithUsage {
    usage_metadata: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback {
    #[serde(default, deserialize_with = "any_text")]
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    #[serde(default, deserialize_with = "any_text")]
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Content {
    parts: Option<Vec<Part>>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<Piece>,
    #[serde(default, deserialize_with = "lenient_bool")]
    thought: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    #[serde(default, deserialize_with = "token_count")]
    prompt_token_count: Option<u32>,
    #[serde(default, deserialize_with = "token_count")]
    candidates_token_count: Option<u32>,
    #[serde(default, deserialize_with = "token_count")]
    thoughts_token_count: Option<u32>,
    #[serde(default, deserialize_with = "token_count")]
    cached_content_token_count: Option<u32>,
}
