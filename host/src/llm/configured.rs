//! The model that the configuration names.

use std::sync::Arc;

use serde_json::Value;

use super::openai::OpenAiCompatible;
use super::{Llm, NoLlm};
use crate::config::Agent;
use crate::explain::explain_llm;

/// The address of OpenAI itself, where `base_url` names no other.
const OPENAI_BASE_URL: &str = "https://api.openai.com/v1";

/// Why an agent's model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The provider is not known.
    #[error(
        "agents.{agent}.model_id: the provider `{provider}` is not known; use openai/MODEL, with client_args.base_url for any compatible server"
    )]
    UnknownProvider {
        /// `memory`, …
        agent: &'static str,
        /// What stands in front of the slash.
        provider: String,
    },
    /// An argument of the client is not known, or not text.
    #[error(
        "agents.{agent}.client_args.{key}: {detail}; known are api_key and base_url, both texts"
    )]
    ClientArgument {
        /// `memory`, …
        agent: &'static str,
        /// The key.
        key: String,
        /// What is wrong with it.
        detail: &'static str,
    },
    /// The client cannot be set up.
    #[error("agents.{agent}: {detail}")]
    Client {
        /// `memory`, …
        agent: &'static str,
        /// Why.
        detail: String,
    },
}

/// The model of an agent; one that refuses every call where none is configured.
///
/// # Errors
/// [`AgentError`], which names the key.
pub fn configured(name: &'static str, agent: &Agent) -> Result<Arc<dyn Llm>, AgentError> {
    let Some(model_id) = &agent.model_id else {
        return Ok(Arc::new(NoLlm));
    };
    if model_id.provider != "openai" {
        let provider = model_id.provider.clone();
        return Err(AgentError::UnknownProvider {
            agent: name,
            provider,
        });
    }
    let mut base_url = OPENAI_BASE_URL.to_owned();
    let mut api_key = None;
    for (key, value) in &agent.client_args {
        let wrong = |detail| AgentError::ClientArgument {
            agent: name,
            key: key.clone(),
            detail,
        };
        let Value::String(text) = value else {
            return Err(wrong("not a text"));
        };
        match key.as_str() {
            "api_key" => api_key = Some(text.clone()),
            "base_url" | "api_base" => base_url.clone_from(text),
            _ => return Err(wrong("not known")),
        }
    }
    let client = OpenAiCompatible::new(&base_url, &model_id.model, api_key, agent.params.clone())
        .map_err(|error| AgentError::Client {
        agent: name,
        detail: explain_llm(&error),
    })?;
    Ok(Arc::new(client))
}
