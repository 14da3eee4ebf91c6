//! Calls as the journal stores them.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::bindings::types::{MemoryType, Scope};
use crate::llm::{Agent, FinishReason};

/// A call of a model that has ended, as the journal stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCall {
    /// Who asked.
    pub agent: Agent,
    /// The scope of the answer.
    pub scope: Scope,
    /// The channel, thread or workspace.
    pub scope_id: String,
    /// The memory that the answer was meant for; `None` for a reply.
    pub memory_type: Option<MemoryType>,
    /// The name of the channel; `None` for the workspace, and if the name was not requested.
    pub channel_name: Option<String>,
    /// The provider, as the configuration names it.
    pub provider: String,
    /// The model that was asked.
    pub model: String,
    /// The model that answered, as it calls itself.
    pub answered_by: String,
    /// When the call began, in milliseconds since 1970.
    pub started_at: i64,
    /// How long the call took, including all attempts and waits.
    pub duration: Duration,
    /// How many requests were sent.
    pub attempts: u32,
    /// Tokens of the prompt, including cached ones; `None` if not reported.
    pub input_tokens: Option<u32>,
    /// How many of them the provider had cached; `None` if not reported.
    pub cached_tokens: Option<u32>,
    /// Tokens of the answer; `None` if not reported.
    pub output_tokens: Option<u32>,
    /// Why the model stopped; `None` if there was no answer.
    pub finish_reason: Option<FinishReason>,
    /// Why there was no answer: the case of `llm-error` in `wit/llm.wit`.
    pub error: Option<String>,
    /// The digest of its input. `None` if the model has no identity, or if the answer was withdrawn with an erased text.
    pub digest: Option<String>,
}

impl StoredCall {
    /// Returns true if no model was asked, because the answer was already in the journal.
    #[must_use]
    pub fn is_recall(&self) -> bool {
        self.attempts == 0 && self.error.is_none()
    }
}

/// The sum of the answers of one model. Calls without an answer are not included, as their tokens are not known, nor
/// are answers that were already in the journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelUse {
    /// The provider, as the configuration names it.
    pub provider: String,
    /// The model that was asked.
    pub model: String,
    /// The model that answered, as it calls itself.
    pub answered_by: String,
    /// Tokens of the prompts, including cached ones.
    pub input_tokens: u64,
    /// How many of them the provider had cached, as far as it is reported.
    pub cached_tokens: u64,
    /// Tokens of the answers.
    pub output_tokens: u64,
    /// Answers whose tokens the provider did not report. They are in none of the sums.
    pub unreported: u64,
}

impl ModelUse {
    /// The sums of these calls, ordered by provider, model and answering model.
    #[must_use]
    pub fn of(calls: &[StoredCall]) -> Vec<Self> {
        let mut uses: BTreeMap<(&str, &str, &str), Self> = BTreeMap::new();
        for call in calls {
            if call.error.is_some() || call.is_recall() {
                continue;
            }
            let key = (&*call.provider, &*call.model, &*call.answered_by);
            let used = uses.entry(key).or_insert_with(|| Self {
                provider: call.provider.clone(),
                model: call.model.clone(),
                answered_by: call.answered_by.clone(),
                ..Self::default()
            });
            let (Some(input), Some(output)) = (call.input_tokens, call.output_tokens) else {
                used.unreported += 1;
                continue;
            };
            used.input_tokens += u64::from(input);
            used.cached_tokens += u64::from(call.cached_tokens.unwrap_or(0).min(input));
            used.output_tokens += u64::from(output);
        }
        uses.into_values().collect()
    }
}

/// The calls that were made for a memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallsOfMemory {
    /// The calls in order, including failed ones and bad answers.
    pub calls: Vec<StoredCall>,
    /// The digest of the input from which the memory was made: of the first prompt or, if it was made in parts, of the
    /// digests of the first prompts. `None` if no model made it, or if the model has no identity.
    pub input_digest: Option<String>,
}
