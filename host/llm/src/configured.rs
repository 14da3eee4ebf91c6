//! The model that the configuration names.

use std::sync::Arc;

use myao_plugin::llm::{self, Completion, Llm, LlmError, ModelIdentity, NoLlm};
use myao_plugin::system_clock;
use serde_json::{Map, Value};

use super::agent::AgentLlm;
use super::client_args::{BadValue, ClientArgs, bad, whole_number};
use super::http::{Http, read_pieces};
use super::limits::Limiter;
use super::models::known_context_window;
use super::provider::{Api, Provider, names};
use super::secret::ApiKey;
use super::tokens::TokenCounter;
use super::wire::anthropic::Anthropic;
use super::wire::gemini::Gemini;
use super::wire::ollama::Ollama;
use super::wire::openai::OpenAi;
use super::wire::{ModelApi, Wire};
use crate::config::{Agent, Agents, MAX_TOKENS_NAMES, ModelId};

/// Parameters that cannot be configured: myao sends them itself, or could not read the answer.
const RESERVED_PARAMS: [&str; 7] = [
    "model",
    "messages",
    "system",
    "contents",
    "systemInstruction",
    "stream",
    "n",
];

/// Why a model cannot be used. It never holds a value of the configuration: one could be a key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The provider is not known.
    #[error(
        "{section}.model_id: the provider `{provider}` is not known; known are {}; for any other server with OpenAI's API use openai/MODEL and client_args.base_url",
        names()
    )]
    UnknownProvider {
        /// `agents.memory`, …
        section: String,
        /// The part of `model_id` before the slash.
        provider: String,
    },
    /// A key has a value that cannot be used.
    #[error("{section}.{key}: {detail}")]
    Value {
        /// `agents.memory`, …
        section: String,
        /// `client_args.base_url`, …
        key: String,
        /// The fault.
        detail: String,
    },
    /// The system's TLS cannot be set up.
    #[error("{section}: cannot set up HTTP: {detail}")]
    Client {
        /// `agents.memory`, …
        section: String,
        /// Why.
        detail: String,
    },
}

/// The model of an agent; without one, a model that refuses every call. A missing key is not an error before the first
/// call, so that prompts can be shown without one.
///
/// # Errors
/// [`AgentError`], which names the key of the configuration.
pub fn configured_model(name: &'static str, agent: &Agent) -> Result<Arc<dyn Llm>, AgentError> {
    let variable = |name: &str| std::env::var(name).ok();
    match &agent.model_id {
        Some(model_id) => Ok(Arc::new(agent_llm(name, agent, model_id, &variable)?)),
        None => Ok(Arc::new(NoLlm)),
    }
}

/// The models of all agents. Agents that share a model have separate limits: replies do not queue behind memories.
///
/// # Errors
/// [`AgentError`], which names the key of the configuration.
pub fn configured_models(agents: &Agents) -> Result<llm::Agents, AgentError> {
    Ok(llm::Agents {
        memory: configured_model("memory", &agents.memory)?,
        response: configured_model("response", &agents.for_replies())?,
        judgment: configured_model("judgment", &agents.for_judgments())?,
    })
}

/// Reads the bytes of a streamed answer, cut into pieces as a network may cut them. Nothing is sent: fuzzers call this.
///
/// # Errors
/// The error that the component would get.
#[doc(hidden)]
pub fn read_stream<'a>(
    agent: &Agent,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Completion, LlmError> {
    let none = || LlmError::InvalidRequest("no such model".to_owned());
    let model_id = agent.model_id.as_ref().ok_or_else(none)?;
    let provider = Provider::of_name(&model_id.provider).ok_or_else(none)?;
    let args = ClientArgs::read(&agent.client_args).map_err(|_| none())?;
    let model_api = model_api(agent, provider, model_id, &args).map_err(|_| none())?;
    let answer = read_pieces(&*model_api.wire, pieces).map_err(|fault| fault.error)?;
    Ok(answer.into_completion(&model_id.model))
}

/// The model of an agent; `variable` reads the environment.
pub(super) fn agent_llm(
    name: &'static str,
    agent: &Agent,
    model_id: &ModelId,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<AgentLlm, AgentError> {
    let value_error = |(key, detail)| AgentError::Value {
        section: format!("agents.{name}"),
        key,
        detail,
    };
    let provider =
        Provider::of_name(&model_id.provider).ok_or_else(|| AgentError::UnknownProvider {
            section: format!("agents.{name}"),
            provider: model_id.provider.clone(),
        })?;
    let args = ClientArgs::read(&agent.client_args).map_err(value_error)?;
    let model_api = model_api(agent, provider, model_id, &args).map_err(value_error)?;
    let own_window = own_window(agent, provider).map_err(value_error)?;
    let key = api_key(provider, &args, variable);
    // A server at an address of one's own may need no key.
    let needs_key = provider.needs_key && (args.base_url.is_none() || provider.base_url.is_none());
    let missing_key = (needs_key && key.is_none()).then_some(provider.key_variable);
    let http = Http::new(key, args.timeouts).map_err(|error| AgentError::Client {
        section: format!("agents.{name}"),
        detail: error.to_string(),
    })?;
    let identity = ModelIdentity::new(
        provider.name,
        &model_id.model,
        model_api.url.as_str(),
        &identifying_parameters(agent, provider, own_window),
    );
    Ok(AgentLlm {
        provider: provider.name,
        model: model_id.model.clone(),
        model_api,
        http,
        timeouts: args.timeouts,
        retries: args.retries,
        limits: agent.limits,
        limiter: Limiter::new(agent.limits),
        counter: TokenCounter::of_model(&model_id.model),
        context_window: own_window.or_else(|| known_context_window(&model_id.model)),
        identity,
        missing_key,
        now: system_clock::now,
    })
}

/// The configured key, else that of the environment.
pub(super) fn api_key(
    provider: &Provider,
    args: &ClientArgs,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<ApiKey> {
    args.api_key
        .clone()
        .or_else(|| ApiKey::new(&variable(provider.key_variable)?))
}

/// Everything that is sent beside the prompt and changes the answer. Ollama also gets the window, and cuts prompts by
/// it.
fn identifying_parameters(agent: &Agent, provider: &Provider, window: Option<u32>) -> Value {
    let window = window.filter(|_| provider.api == Api::Ollama);
    let window = window.map_or(Value::Null, Value::from);
    Value::Array(vec![Value::Object(agent.params.clone()), window])
}

/// The context window that the configuration sets.
fn own_window(agent: &Agent, provider: &Provider) -> Result<Option<u32>, BadValue> {
    match agent.params.get("num_ctx") {
        Some(size) if provider.api == Api::Ollama => whole_number("params.num_ctx", size).map(Some),
        _ => Ok(agent.context_window.map(std::num::NonZero::get)),
    }
}

/// The provider's API, with the agent's parameters and the address of the model.
fn model_api(
    agent: &Agent,
    provider: &Provider,
    model_id: &ModelId,
    args: &ClientArgs,
) -> Result<ModelApi, BadValue> {
    let mut params = agent.params.clone();
    let is_reserved = |key: &&String| RESERVED_PARAMS.contains(&key.as_str());
    if let Some(key) = params.keys().find(is_reserved) {
        return bad(
            &format!("params.{key}"),
            "myao sets this itself; take it out",
        );
    }
    let has_newer_limit = params.contains_key("max_completion_tokens");
    let max_tokens = take_max_tokens(&mut params)?;
    let model = model_id.model.clone();
    let url = args.url(provider, &model)?;
    let wire: Box<dyn Wire> = match provider.api {
        api @ (Api::OpenAi | Api::Azure) => Box::new(OpenAi {
            has_newer_limit: has_newer_limit || OpenAi::is_newer(&model),
            model,
            is_azure: api == Api::Azure,
            params,
        }),
        Api::Anthropic => Box::new(Anthropic::new(model, params)),
        Api::Gemini => Box::new(Gemini::new(params)),
        Api::Ollama => Box::new(Ollama::new(model, own_window(agent, provider)?, params)),
    };
    Ok(ModelApi {
        url,
        max_tokens,
        wire,
    })
}

/// Takes the limit of the answer out of the parameters, under all of its names; the smallest one counts.
fn take_max_tokens(params: &mut Map<String, Value>) -> Result<Option<u32>, BadValue> {
    let mut smallest = None;
    for name in MAX_TOKENS_NAMES {
        let Some(value) = params.shift_remove(name).filter(|value| !value.is_null()) else {
            continue;
        };
        let limit = whole_number(&format!("params.{name}"), &value)?;
        smallest = Some(smallest.map_or(limit, |smallest: u32| smallest.min(limit)));
    }
    Ok(smallest)
}
