//! Google's Gemini (<https://ai.google.dev/api/generate-content>).

use reqwest::Url;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    Answer, Fault, FinishReason, NEUTRAL_TURN, Piece, Progress, Request, Wire, aside, count, event,
    flag, max_tokens, set_all, word,
};
use crate::fault::code;

/// The other names of OpenAI's parameters.
const NAMES: [(&str, &str); 7] = [
    ("top_p", "topP"),
    ("top_k", "topK"),
    ("stop", "stopSequences"),
    ("stop_sequences", "stopSequences"),
    ("presence_penalty", "presencePenalty"),
    ("frequency_penalty", "frequencyPenalty"),
    ("thinking_config", "thinkingConfig"),
];
/// Parameters that stand beside `generationConfig`, not in it.
const BESIDE: [(&str, &str); 4] = [
    ("safety_settings", "safetySettings"),
    ("safetySettings", "safetySettings"),
    ("cached_content", "cachedContent"),
    ("cachedContent", "cachedContent"),
];

/// One of Google's models.
pub(crate) struct Gemini {
    url: Url,
    max_tokens: Option<u32>,
    /// In `generationConfig`.
    params: Map<String, Value>,
    beside: Map<String, Value>,
}

impl Gemini {
    pub(crate) fn new(url: Url, max_tokens: Option<u32>, mut params: Map<String, Value>) -> Self {
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
        Self {
            url,
            max_tokens,
            params,
            beside,
        }
    }
}

impl Wire for Gemini {
    fn url(&self) -> &Url {
        &self.url
    }

    fn max_tokens(&self) -> Option<u32> {
        self.max_tokens
    }

    fn headers(&self, key: Option<&str>) -> Vec<(&'static str, String)> {
        // Not in the URL, where the documentation's examples have it: URLs are logged.
        key.map(|key| ("x-goog-api-key", key.to_owned()))
            .into_iter()
            .collect()
    }

    fn body(&self, request: &Request) -> Value {
        let mut config = Map::new();
        let most = max_tokens(request, self.max_tokens);
        config.insert("maxOutputTokens".to_owned(), json!(most));
        if request.answer_schema.is_some() {
            // Which schemas a model takes differs from one to the next; the prompt says the same.
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
            let reason = code(&reason).unwrap_or("for a reason of its own");
            return Err(Fault::refused(
                format!("the prompt was blocked: {reason}"),
                "",
            ));
        }
        answer.model = chunk.model_version.or(answer.model.take());
        let Counted { usage_metadata } = aside(data);
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
            // The last chunk is the end; there is no other sign.
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
    #[serde(default, deserialize_with = "word")]
    model_version: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Counted {
    usage_metadata: Option<Usage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback {
    #[serde(default, deserialize_with = "word")]
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    content: Option<Content>,
    #[serde(default, deserialize_with = "word")]
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
struct Content {
    parts: Option<Vec<Part>>,
}

#[derive(Deserialize)]
struct Part {
    text: Option<Piece>,
    #[serde(default, deserialize_with = "flag")]
    thought: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Usage {
    #[serde(default, deserialize_with = "count")]
    prompt_token_count: Option<u32>,
    #[serde(default, deserialize_with = "count")]
    candidates_token_count: Option<u32>,
    #[serde(default, deserialize_with = "count")]
    thoughts_token_count: Option<u32>,
    #[serde(default, deserialize_with = "count")]
    cached_content_token_count: Option<u32>,
}
