//! Calls as the journal keeps them.

use std::time::Duration;

use crate::bindings::types::{MemoryType, Scope};
use crate::llm::{Agent, FinishReason};

/// A call of a model that is over, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCall {
    /// Who asked.
    pub agent: Agent,
    /// What the answer was about.
    pub scope: Scope,
    /// The channel, thread or workspace.
    pub scope_id: String,
    /// The memory that the answer was to become; none for a reply.
    pub memory_type: Option<MemoryType>,
    /// The name of the channel; none for the workspace, and where the channel was not asked for.
    pub channel_name: Option<String>,
    /// The provider, as the configuration names it.
    pub provider: String,
    /// The model that was asked.
    pub model: String,
    /// The model that answered, as it calls itself.
    pub answered_by: String,
    /// When the call began, in milliseconds since 1970.
    pub started_at: i64,
    /// How long it took, attempts and waits together.
    pub duration: Duration,
    /// Requests that were sent.
    pub attempts: u32,
    /// Tokens of the prompt, cached ones included, if told.
    pub input_tokens: Option<u32>,
    /// Those of them that the provider had cached, if told.
    pub cached_tokens: Option<u32>,
    /// Tokens of the answer, if told.
    pub output_tokens: Option<u32>,
    /// Why the model stopped; none where there was no answer.
    pub finish_reason: Option<FinishReason>,
    /// Why there was no answer: the case of `llm-error` in `wit/llm.wit`.
    pub error: Option<String>,
    /// The digest of its input.
    pub digest: Option<String>,
}

impl StoredCall {
    /// Whether it asked nobody: the answer was there already.
    #[must_use]
    pub fn is_recall(&self) -> bool {
        self.attempts == 0 && self.error.is_none()
    }
}

/// The calls that a memory took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallsOfMemory {
    /// The calls for it, failed ones and bad answers included, in order.
    pub calls: Vec<StoredCall>,
    /// The digest of the input that it was made of: of the first prompt, or of the digests of the first prompts
    /// where it was made in parts. `None` if no model made it, or none that can be told from others.
    pub input_digest: Option<String>,
}
