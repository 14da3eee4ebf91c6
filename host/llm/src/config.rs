//! `agents`: the models for memories, replies and judgments.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::expand::{expanded_map, optional_expanded};
use crate::limits::Limits;

/// The names that providers give to the limit of the answer's length.
pub(crate) const MAX_TOKENS_NAMES: [&str; 5] = [
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxOutputTokens",
    "num_predict",
];

/// `agents`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Agents {
    /// The model that makes memories.
    pub memory: Agent,
    /// The model that writes replies, with the keys of `agents.memory`. Without a `model_id` it uses the memory agent's
    /// model and `client_args`, with its own `params` and `limits`. The longest reply is 1000 tokens, or `max_tokens` in
    /// `params`.
    pub response: Agent,
    /// The model that judges whether to reply without a mention, with the keys of `agents.memory`. Without a `model_id` it
    /// uses the response agent's. The longest judgment is 500 tokens, or `max_tokens` in `params`. Judgments are requested
    /// as JSON with a schema; `response_format: null` in `params` leaves the schema out, for a server that does not support
    /// it.
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
#[derive(Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Agent {
    /// Provider and model, as in `anthropic/claude-sonnet-4-5`; see [Models](#models). Without it the extractive engine
    /// makes the memories, without a model.
    #[schemars(with = "Option<String>")]
    pub model_id: Option<ModelId>,
    /// Added to the persona's system prompt.
    #[serde(deserialize_with = "optional_expanded")]
    pub system_prompt: Option<String>,
    /// Parameters of the model: `temperature`, `top_p`, `seed`, `stop`, …; a `max_tokens` here is an upper limit.
    #[serde(deserialize_with = "expanded_map")]
    pub params: Map<String, Value>,
    /// Address, key and timeouts; see [Models](#models).
    #[serde(deserialize_with = "expanded_map")]
    pub client_args: Map<String, Value>,
    /// Tokens of prompt and answer together. Default: what is known of the model.
    pub context_window: Option<NonZeroU32>,
    /// How many calls may be made at once and per minute.
    pub limits: Limits,
}

/// Without `client_args`, which hold the key.
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
    /// Without a model of its own, takes the model of another agent with its `client_args`. Parameters are not taken: each
    /// kind of answer needs its own.
    fn or_with_model_of(mut self, other: &Self) -> Self {
        if self.model_id.is_none() {
            self.model_id.clone_from(&other.model_id);
            self.client_args.clone_from(&other.client_args);
            self.context_window = other.context_window;
        }
        self
    }

    /// The limit of the answer's length in its parameters, in tokens, under whichever name.
    #[must_use]
    pub fn longest_answer(&self) -> Option<u32> {
        let named = MAX_TOKENS_NAMES.iter();
        let value = named.filter_map(|name| self.params.get(*name)?.as_u64());
        value.filter_map(|tokens| u32::try_from(tokens).ok()).next()
    }
}

/// Provider and model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelId {
    /// `openai`, …
    pub provider: String,
    /// The provider's name for the model; it may hold more slashes.
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
                "`{text}` does not name a provider and a model, as in openai/gpt-4o"
            )),
        }
    }
}

impl<'de> Deserialize<'de> for ModelId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        crate::expand::expanded(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}
