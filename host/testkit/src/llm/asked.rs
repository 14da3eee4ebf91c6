//! Selects requests to a model.

use myao_plugin::llm::{Agent, Request};
use myao_plugin::{MemoryType, Scope};

/// Selects requests to a model. A request must meet all conditions.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    agent: Option<Agent>,
    subject: Option<(Scope, String)>,
    memory_type: Option<MemoryType>,
    part: Option<String>,
    nth: Option<usize>,
}

impl Asked {
    /// Every call.
    #[must_use]
    pub fn anything() -> Self {
        Self::default()
    }

    /// The `n`th of all calls, counted from 0.
    #[must_use]
    pub fn call(n: usize) -> Self {
        Self::anything().nth(n)
    }

    /// Calls about one thing; `scope_id` is the workspace scope id, a channel id, or `CHANNEL:THREAD_TS`.
    #[must_use]
    pub fn about(scope: Scope, scope_id: &str) -> Self {
        Self {
            subject: Some((scope, scope_id.to_owned())),
            ..Self::default()
        }
    }

    /// Calls of one agent.
    #[must_use]
    pub fn by(agent: Agent) -> Self {
        Self {
            agent: Some(agent),
            ..Self::default()
        }
    }

    /// Calls whose prompt contains a text.
    #[must_use]
    pub fn with(part: &str) -> Self {
        Self {
            part: Some(part.to_owned()),
            ..Self::default()
        }
    }

    /// Only those of them for one type of memory.
    #[must_use]
    pub fn for_memory(mut self, memory_type: MemoryType) -> Self {
        self.memory_type = Some(memory_type);
        self
    }

    /// Only those of them whose prompt also contains a text.
    #[must_use]
    pub fn and_with(mut self, part: &str) -> Self {
        self.part = Some(part.to_owned());
        self
    }

    /// Only the `n`th of them, counted from 0.
    #[must_use]
    pub fn nth(mut self, n: usize) -> Self {
        self.nth = Some(n);
        self
    }

    pub(super) fn fits(&self, request: &Request) -> bool {
        let purpose = &request.purpose;
        let is_about = |(scope, scope_id): &(Scope, String)| {
            (*scope, scope_id) == (purpose.scope, &purpose.scope_id)
        };
        self.agent.is_none_or(|agent| agent == purpose.agent)
            && self.subject.as_ref().is_none_or(is_about)
            && (self.memory_type.is_none() || self.memory_type == purpose.memory_type)
            && self
                .part
                .as_ref()
                .is_none_or(|part| request.system_prompt.contains(part))
    }

    /// Whether this is the selected call, after `seen` earlier calls that matched.
    pub(super) fn is_meant(&self, seen: usize) -> bool {
        self.nth.is_none_or(|nth| nth == seen)
    }
}
