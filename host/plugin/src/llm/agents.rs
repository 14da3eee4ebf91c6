//! The models of the host's agents.

use std::sync::Arc;

use super::{Agent, Llm};

/// One model for each agent. They may be the same.
#[derive(Clone)]
pub struct Agents {
    /// Makes memories.
    pub memory: Arc<dyn Llm>,
    /// Writes replies.
    pub response: Arc<dyn Llm>,
    /// Decides on replies that nobody asked for.
    pub judgment: Arc<dyn Llm>,
}

impl Agents {
    /// The model of an agent.
    #[must_use]
    pub fn of(&self, agent: Agent) -> &dyn Llm {
        match agent {
            Agent::Memory => &*self.memory,
            Agent::Response => &*self.response,
            Agent::Judgment => &*self.judgment,
        }
    }
}

/// Uses the same model for all agents.
impl<T: Llm + 'static> From<T> for Agents {
    fn from(llm: T) -> Self {
        let llm: Arc<dyn Llm> = Arc::new(llm);
        Self {
            memory: llm.clone(),
            response: llm.clone(),
            judgment: llm,
        }
    }
}
