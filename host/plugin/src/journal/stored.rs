//! Calls as the journal stores them.

use std::time::Duration;

use crate::bindings::types::{MemoryType, Scope};
use crate::llm::{Agent, FinishReason};

/// A call of a model that has ended, as the journal stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCall {
    /// Who asked.
    pub agent: Agent,
    /// What the answer was about.
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
    /// The digest of its input.
    pub digest: Option<String>,
}

impl StoredCall {
    /// Whether no model was asked, because the answer was already in the journal.
    #[must_use]
    pub fn is_recall(&self) -> bool {
        self.attempts == 0 && self.error.is_none()
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
