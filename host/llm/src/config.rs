//! `agents`: the models for memories, replies and judgments.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::configured::MAX_TOKENS_NAMES;
use crate::expand::{expanded_map, optional_expanded};
use crate::limits::Limits;

/// `agents`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Agents {
    /// The model that makes memories.
    pub memory: Agent,
    /// The model that writes replies, with the keys of `agents.memory`. Without a `model_id` it is the memory agent's,
    /// and so is the way to it; `params` and `limits` are its own. A `max_tokens` in `params` sets the longest reply,
    /// else 1000.
    pub response: Agent,
    /// The model that judges whether to reply unasked, with the keys of `agents.memory`. Without a `model_id` it is the
    /// response agent's. The longest judgment is 500 tokens, or `max_tokens` in `params`. Judgments are asked for as
    /// JSON with a schema; `response_format: null` in `params` leaves it out for a server that knows none.
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
    /// Provider and model, as in `anthropic/claude-sonnet-4-5`; see [Models](#models). Without it memories are made by
    /// the extractive engine, without a model.
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
        crate::expand::expanded(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}
