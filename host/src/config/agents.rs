//! `agents`: the models for memories, replies and judgments.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::llm::MAX_TOKENS_NAMES;
use crate::llm::limits::Limits;

use super::text::{expanded_map, optional_expanded};

/// `agents`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Agents {
    /// Writes memories. Without a `model_id`, memories are made without a model.
    pub memory: Agent,
    /// Writes replies. Without a `model_id`, the memory agent's model does.
    pub response: Agent,
    /// Decides whether to reply unasked. Without a `model_id`, the response agent's model does.
    pub judgment: Agent,
}

impl Agents {
    /// The agent that writes replies, with the model that it uses.
    #[must_use]
    pub fn for_replies(&self) -> Agent {
        self.response.clone().or_with_model_of(&self.memory)
    }

    /// The agent that judges, with the model that it uses.
    #[must_use]
    pub fn for_judgments(&self) -> Agent {
        self.judgment.clone().or_with_model_of(&self.for_replies())
    }
}

/// One agent.
#[derive(Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Agent {
    /// Provider and model: `openai/gpt-4o`.
    pub model_id: Option<ModelId>,
    /// Added to the persona's system prompt.
    #[serde(deserialize_with = "optional_expanded")]
    pub system_prompt: Option<String>,
    /// Sent with every request: `temperature`, `max_tokens`, …
    #[serde(deserialize_with = "expanded_map")]
    pub params: Map<String, Value>,
    /// How to reach the provider: `api_key`, `base_url`, `timeout`, …
    #[serde(deserialize_with = "expanded_map")]
    pub client_args: Map<String, Value>,
    /// Tokens of prompt and answer together. Default: what is known of the model.
    pub context_window: Option<NonZeroU32>,
    /// How much may be asked at once and per minute.
    pub limits: Limits,
}

/// Without the arguments of the client: they hold the key.
impl fmt::Debug for Agent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("model_id", &self.model_id)
            .field("system_prompt", &self.system_prompt)
            .field("params", &self.params)
            .field("context_window", &self.context_window)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Agent {
    /// Where it has no model, it takes another agent's, and the way to it. Parameters are its own: an answer of
    /// one kind needs other ones than an answer of another.
    fn or_with_model_of(mut self, other: &Self) -> Self {
        if self.model_id.is_none() {
            self.model_id.clone_from(&other.model_id);
            self.client_args.clone_from(&other.client_args);
            self.context_window = other.context_window;
        }
        self
    }

    /// The longest answer that its parameters ask for, in tokens, under whichever name.
    #[must_use]
    pub fn longest_answer(&self) -> Option<u32> {
        let named = MAX_TOKENS_NAMES.iter();
        let value = named.filter_map(|name| self.params.get(*name)?.as_u64());
        value.filter_map(|tokens| u32::try_from(tokens).ok()).next()
    }

    /// The persona's system prompt with this agent's behind it.
    #[must_use]
    pub fn add_to(&self, persona: &str) -> String {
        match self.system_prompt.as_deref() {
            Some(own) if !own.is_empty() => format!("{persona}\n\n{own}"),
            _ => persona.to_owned(),
        }
    }
}

/// Provider and model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelId {
    /// `openai`, …
    pub provider: String,
    /// The provider's name for the model; may hold further slashes.
    pub model: String,
}

impl FromStr for ModelId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('/') {
            Some((provider, model)) if !provider.is_empty() && !model.is_empty() => Ok(Self {
                provider: provider.to_owned(),
                model: model.to_owned(),
            }),
            _ => Err(format!(
                "`{text}` does not name provider and model, as in openai/gpt-4o"
            )),
        }
    }
}

impl<'de> Deserialize<'de> for ModelId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        super::expanded(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}
