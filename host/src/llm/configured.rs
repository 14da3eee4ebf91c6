//! The model that the configuration names.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

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
    /// An argument of the client is not known, or not what it should be.
    #[error("agents.{agent}.client_args.{key}: {detail}")]
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
    let wrong = |(key, detail): (&str, _)| AgentError::ClientArgument {
        agent: name,
        key: key.to_owned(),
        detail,
    };
    let arguments = ClientArguments::read(&agent.client_args).map_err(wrong)?;
    let client = OpenAiCompatible::new(
        &arguments.base_url,
        &model_id.model,
        arguments.api_key,
        agent.params.clone(),
    )
    .map_err(|error| AgentError::Client {
        agent: name,
        detail: explain_llm(&error),
    })?;
    Ok(Arc::new(match arguments.timeout {
        Some(timeout) => client.with_timeout(timeout),
        None => client,
    }))
}

/// How to reach the provider.
struct ClientArguments {
    base_url: String,
    api_key: Option<String>,
    timeout: Option<Duration>,
}

impl ClientArguments {
    /// Fails with the key and what is wrong with it. The value is not told: it may be the API key.
    fn read(arguments: &Map<String, Value>) -> Result<Self, (&str, &'static str)> {
        let mut read = Self {
            base_url: OPENAI_BASE_URL.to_owned(),
            api_key: None,
            timeout: None,
        };
        for (key, value) in arguments {
            match (key.as_str(), value) {
                ("api_key", Value::String(text)) => read.api_key = Some(text.clone()),
                ("base_url" | "api_base", Value::String(text)) if is_web_address(text) => {
                    read.base_url.clone_from(text);
                }
                ("timeout", value) => {
                    let seconds = value.as_f64().filter(|seconds| *seconds > 0.0);
                    let timeout = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
                    let wrong = (key.as_str(), "expected seconds, more than 0");
                    read.timeout = Some(timeout.ok_or(wrong)?);
                }
                ("api_key", _) => return Err((key, "expected a text; put it in quotes")),
                ("base_url" | "api_base", _) => {
                    return Err((key, "expected an address such as https://example.com/v1"));
                }
                _ => return Err((key, "not known; there are api_key, base_url and timeout")),
            }
        }
        Ok(read)
    }
}

fn is_web_address(text: &str) -> bool {
    reqwest::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}
