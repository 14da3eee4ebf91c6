//! The models of the host's agents.

use std::sync::Arc;

use super::{Agent, AgentError, Llm, configured};
use crate::config;

/// One model for each agent. They may be the same.
#[derive(Clone)]
pub struct Agents {
    /// Makes memories.
    pub memory: Arc<dyn Llm>,
    /// Writes replies.
    pub response: Arc<dyn Llm>,
    /// Decides whether to reply.
    pub judgment: Arc<dyn Llm>,
}

impl Agents {
    /// The models that a configuration names; where it names none at all, every call is refused. Agents that share a
    /// model have limits each of their own: replies do not queue behind memories.
    ///
    /// # Errors
    /// [`AgentError`], which names the key of the configuration.
    pub fn configured(agents: &config::Agents) -> Result<Self, AgentError> {
        Ok(Self {
            memory: configured("memory", &agents.memory)?,
            response: configured("response", &agents.for_replies())?,
            judgment: configured("judgment", &agents.for_judgments())?,
        })
    }

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

/// The same model for all.
impl From<Arc<dyn Llm>> for Agents {
    fn from(llm: Arc<dyn Llm>) -> Self {
        Self {
            memory: llm.clone(),
            response: llm.clone(),
            judgment: llm,
        }
    }
}
