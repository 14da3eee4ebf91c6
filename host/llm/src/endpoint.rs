//! Facts about an agent's model that are known without calling it.

use super::configured::{AgentError, agent_llm};
use crate::config::Agent;

/// An agent's model, and the server that it is at.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelEndpoint {
    /// Provider and model, as the configuration names them: `openai/gpt-4o`.
    pub model: String,
    /// Scheme, host and port of the server. The rest of its address may hold a password, and is left out.
    pub origin: String,
    /// The environment variable that may hold the key, if a key is needed and there is none.
    pub missing_key: Option<&'static str>,
}

/// The model of an agent and its server; `None` if the agent has no model.
///
/// # Errors
/// [`AgentError`], which names the key of the configuration.
pub fn model_endpoint(
    name: &'static str,
    agent: &Agent,
) -> Result<Option<ModelEndpoint>, AgentError> {
    let Some(model_id) = &agent.model_id else {
        return Ok(None);
    };
    let variable = |name: &str| std::env::var(name).ok();
    let llm = agent_llm(name, agent, model_id, &variable)?;
    Ok(Some(ModelEndpoint {
        model: format!("{}/{}", model_id.provider, model_id.model),
        origin: llm.model_api.url.origin().ascii_serialization(),
        missing_key: llm.missing_key,
    }))
}
