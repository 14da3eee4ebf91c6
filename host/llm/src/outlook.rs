//! What can be told of an agent's model without asking it.

use super::configured::{AgentError, agent_llm};
use crate::config::Agent;

/// The way to an agent's model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outlook {
    /// Provider and model, as the configuration names them: `openai/gpt-4o`.
    pub model: String,
    /// Scheme, host and port of the server; nothing else of its address, which may hold a password.
    pub origin: String,
    /// The variable that could hold the key, where one is needed and there is none.
    pub missing_key: Option<&'static str>,
}

/// The way to the model of an agent; none where it has no model.
///
/// # Errors
/// [`AgentError`], which names the key of the configuration.
pub fn outlook(name: &'static str, agent: &Agent) -> Result<Option<Outlook>, AgentError> {
    let Some(model_id) = &agent.model_id else {
        return Ok(None);
    };
    let variable = |name: &str| std::env::var(name).ok();
    let llm = agent_llm(name, agent, model_id, &variable)?;
    Ok(Some(Outlook {
        model: format!("{}/{}", model_id.provider, model_id.model),
        origin: llm.wire.url().origin().ascii_serialization(),
        missing_key: llm.missing_key,
    }))
}
