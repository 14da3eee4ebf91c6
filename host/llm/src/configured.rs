//! The model that the configuration names.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use myao_plugin::llm::{self, Completion, Llm, LlmError, ModelIdentity, NoLlm};
use reqwest::Url;
use serde_json::{Map, Value};

use super::agent::AgentLlm;
use super::http::{Http, read_pieces};
use super::limits::Limiter;
use super::models::known_context_window;
use super::provider::{Provider, Speech, names};
use super::retry::Retries;
use super::secret::ApiKey;
use super::timeouts::Timeouts;
use super::tokens::TokenCounter;
use super::wire::Wire;
use super::wire::anthropic::Anthropic;
use super::wire::gemini::Gemini;
use super::wire::ollama::Ollama;
use super::wire::openai::OpenAi;
use crate::config::{Agent, Agents, ModelId};

/// The names of the longest answer's parameter.
pub(crate) const MAX_TOKENS_NAMES: [&str; 5] = [
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxOutputTokens",
    "num_predict",
];
/// What myao says itself, and how it reads the answer.
const NO_PARAMS: [&str; 7] = [
    "model",
    "messages",
    "system",
    "contents",
    "systemInstruction",
    "stream",
    "n",
];

/// Why an agent's model cannot be used. It never holds a value of the configuration: one could be a key.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// The provider is not known.
    #[error(
        "agents.{agent}.model_id: the provider `{provider}` is not known; known are {}; for any other server that speaks OpenAI's API use openai/MODEL with client_args.base_url",
        names()
    )]
    UnknownProvider {
        /// `memory`, …
        agent: &'static str,
        /// What stands in front of the slash.
        provider: String,
    },
    /// A key of the agent has a value that is of no use.
    #[error("agents.{agent}.{key}: {detail}")]
    Value {
        /// `memory`, …
        agent: &'static str,
        /// `client_args.base_url`, …
        key: String,
        /// What is wrong with it.
        detail: String,
    },
    /// The system's TLS cannot be set up.
    #[error("agents.{agent}: cannot set up HTTP: {detail}")]
    Client {
        /// `memory`, …
        agent: &'static str,
        /// Why.
        detail: String,
    },
}

/// The model of an agent; one that refuses every call where none is configured. A missing key is no error
/// before the first call: prompts can be looked at without one.
///
/// # Errors
/// [`AgentError`], which names the key of the configuration.
pub fn configured(name: &'static str, agent: &Agent) -> Result<Arc<dyn Llm>, AgentError> {
    let variable = |name: &str| std::env::var(name).ok();
    match &agent.model_id {
        Some(model_id) => Ok(Arc::new(agent_llm(name, agent, model_id, &variable)?)),
        None => Ok(Arc::new(NoLlm)),
    }
}

/// The models that a configuration names. If it names none, every call is refused. Agents that share a model have limits
/// each of their own: replies do not queue behind memories.
///
/// # Errors
/// [`AgentError`], which names the key of the configuration.
pub fn configured_agents(agents: &Agents) -> Result<llm::Agents, AgentError> {
    Ok(llm::Agents {
        memory: configured("memory", &agents.memory)?,
        response: configured("response", &agents.for_replies())?,
        judgment: configured("judgment", &agents.for_judgments())?,
    })
}

/// What the model of an agent says in the bytes of a streamed answer, in pieces as a network may cut them. Nothing is
/// sent: fuzzers call this.
///
/// # Errors
/// What the component would be told.
#[doc(hidden)]
pub fn read_stream<'a>(
    agent: &Agent,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Result<Completion, LlmError> {
    let none = || LlmError::InvalidRequest("no such model".to_owned());
    let model_id = agent.model_id.as_ref().ok_or_else(none)?;
    let provider = Provider::of_name(&model_id.provider).ok_or_else(none)?;
    let arguments = ClientArguments::read(&agent.client_args).map_err(|_| none())?;
    let parts = Parts::read(agent, provider, model_id, &arguments).map_err(|_| none())?;
    let answer = read_pieces(&*parts.wire, pieces).map_err(|fault| fault.error)?;
    Ok(answer.into_completion(&model_id.model))
}

/// The same for a model and the variables of an environment.
pub(super) fn agent_llm(
    name: &'static str,
    agent: &Agent,
    model_id: &ModelId,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<AgentLlm, AgentError> {
    let value_error = |(key, detail)| AgentError::Value {
        agent: name,
        key,
        detail,
    };
    let provider = Provider::of_name(&model_id.provider).ok_or_else(|| {
        let provider = model_id.provider.clone();
        AgentError::UnknownProvider {
            agent: name,
            provider,
        }
    })?;
    let arguments = ClientArguments::read(&agent.client_args).map_err(value_error)?;
    let parts = Parts::read(agent, provider, model_id, &arguments).map_err(value_error)?;
    let key = arguments.api_key.or_else(|| {
        variable(provider.key_variable)
            .as_deref()
            .and_then(ApiKey::new)
    });
    // A server of one's own may well want none.
    let needs_key = provider.needs_key && (!arguments.has_base_url || provider.base_url.is_none());
    let missing_key = (needs_key && key.is_none()).then_some(provider.key_variable);
    let http = Http::new(key, arguments.timeouts).map_err(|error| {
        let detail = error.to_string();
        AgentError::Client {
            agent: name,
            detail,
        }
    })?;
    let identity = ModelIdentity::new(
        provider.name,
        &model_id.model,
        parts.wire.url().as_str(),
        &parameters(agent, provider, parts.context_window),
    );
    Ok(AgentLlm {
        provider: provider.name,
        has_own_window: parts.context_window.is_some(),
        identity,
        learned_window: u32::MAX.into(),
        counter: TokenCounter::of_model(&model_id.model),
        model: model_id.model.clone(),
        context_window: parts
            .context_window
            .or_else(|| known_context_window(&model_id.model)),
        wire: parts.wire,
        http,
        timeouts: arguments.timeouts,
        retries: arguments.retries,
        limits: agent.limits,
        limiter: Limiter::new(agent.limits),
        missing_key,
        now: SystemTime::now,
    })
}

/// What is sent beside the prompt. To Ollama that is the window too, and it cuts prompts by it.
fn parameters(agent: &Agent, provider: &Provider, context_window: Option<u32>) -> Value {
    let window = context_window.filter(|_| provider.speech == Speech::Ollama);
    let window = window.map_or(Value::Null, Value::from);
    Value::Array(vec![Value::Object(agent.params.clone()), window])
}

/// A key of the agent, and what is wrong with its value.
type Wrong = (String, String);

fn wrong<T>(key: &str, detail: impl Into<String>) -> Result<T, Wrong> {
    Err((key.to_owned(), detail.into()))
}

/// `client_args`.
#[derive(Default)]
struct ClientArguments {
    api_key: Option<ApiKey>,
    base_url: Option<Url>,
    has_base_url: bool,
    api_version: Option<String>,
    timeouts: Timeouts,
    retries: Retries,
}

impl ClientArguments {
    fn read(arguments: &Map<String, Value>) -> Result<Self, Wrong> {
        let mut read = Self::default();
        for (key, value) in arguments {
            let name = format!("client_args.{key}");
            match key.as_str() {
                "api_key" => read.api_key = ApiKey::new(text(&name, value)?),
                "base_url" | "api_base" => read.base_url = Some(url(&name, text(&name, value)?)?),
                "api_version" => read.api_version = Some(text(&name, value)?.to_owned()),
                "timeout" => read.timeouts.call = seconds(&name, value)?,
                "first_token_timeout" => read.timeouts.first_token = seconds(&name, value)?,
                "stall_timeout" => read.timeouts.stall = seconds(&name, value)?,
                "max_retries" | "num_retries" => {
                    read.retries.max_attempts = whole_number(&name, value)?.saturating_add(1);
                }
                _ => {
                    return wrong(
                        &name,
                        "not known; there are api_key, base_url (or api_base), api_version, timeout, \
                         first_token_timeout, stall_timeout, max_retries (or num_retries)",
                    );
                }
            }
        }
        read.has_base_url = read.base_url.is_some();
        Ok(read)
    }
}

/// What the parameters and the address make.
struct Parts {
    wire: Box<dyn Wire>,
    context_window: Option<u32>,
}

impl Parts {
    fn read(
        agent: &Agent,
        provider: &Provider,
        model_id: &ModelId,
        arguments: &ClientArguments,
    ) -> Result<Self, Wrong> {
        let mut params = agent.params.clone();
        if let Some(key) = params.keys().find(|key| NO_PARAMS.contains(&key.as_str())) {
            return wrong(
                &format!("params.{key}"),
                "myao sets this itself; take it out",
            );
        }
        let has_newer_limit = params.contains_key("max_completion_tokens");
        let max_tokens = take_max_tokens(&mut params)?;
        let mut context_window = agent.context_window.map(std::num::NonZero::get);
        let model = model_id.model.clone();
        let url = endpoint(provider, &model, arguments)?;
        let wire: Box<dyn Wire> = match provider.speech {
            speech @ (Speech::OpenAi | Speech::Azure) => Box::new(OpenAi {
                url,
                has_newer_limit: has_newer_limit || OpenAi::is_newer(&model),
                model,
                is_azure: speech == Speech::Azure,
                max_tokens,
                params,
            }),
            Speech::Anthropic => Box::new(Anthropic::new(url, model, max_tokens, params)),
            Speech::Gemini => Box::new(Gemini::new(url, max_tokens, params)),
            Speech::Ollama => {
                if let Some(size) = params.get("num_ctx") {
                    context_window = Some(whole_number("params.num_ctx", size)?);
                }
                Box::new(Ollama::new(url, model, max_tokens, context_window, params))
            }
        };
        Ok(Self {
            wire,
            context_window,
        })
    }
}

/// Takes the longest answer out of the parameters, by whatever names it has; the least of them counts.
fn take_max_tokens(params: &mut Map<String, Value>) -> Result<Option<u32>, Wrong> {
    let mut least = None;
    for name in MAX_TOKENS_NAMES {
        let Some(value) = params.shift_remove(name).filter(|value| !value.is_null()) else {
            continue;
        };
        let most = whole_number(&format!("params.{name}"), &value)?;
        least = Some(least.map_or(most, |least: u32| least.min(most)));
    }
    Ok(least)
}

/// Where a provider's requests go.
fn endpoint(provider: &Provider, model: &str, arguments: &ClientArguments) -> Result<Url, Wrong> {
    let key = "client_args.base_url";
    let mut url = match (&arguments.base_url, provider.base_url) {
        (Some(base), _) => base.clone(),
        (None, Some(base)) => url(key, base)?,
        (None, None) => {
            return wrong(
                key,
                format!("{} has no address of its own; set it", provider.name),
            );
        }
    };
    let path = url.path().trim_end_matches('/').to_owned();
    let (segments, query): (Vec<&str>, Option<(&str, &str)>) = match provider.speech {
        Speech::OpenAi => (vec!["chat", "completions"], None),
        Speech::Azure if path.ends_with("/openai/v1") => (vec!["chat", "completions"], None),
        Speech::Azure => {
            let Some(version) = &arguments.api_version else {
                return wrong(
                    "client_args.api_version",
                    "Azure needs it (2024-10-21), unless base_url ends with /openai/v1",
                );
            };
            let segments = vec!["openai", "deployments", model, "chat", "completions"];
            (segments, Some(("api-version", version.as_str())))
        }
        Speech::Anthropic if path.ends_with("/v1") => (vec!["messages"], None),
        Speech::Anthropic => (vec!["v1", "messages"], None),
        Speech::Gemini if path.is_empty() => (vec!["v1beta", "models"], Some(("alt", "sse"))),
        Speech::Gemini => (vec!["models"], Some(("alt", "sse"))),
        Speech::Ollama => (vec!["api", "chat"], None),
    };
    let call = format!("{model}:streamGenerateContent");
    let last = (provider.speech == Speech::Gemini).then_some(call.as_str());
    if let Ok(mut path) = url.path_segments_mut() {
        path.pop_if_empty().extend(segments).extend(last);
    }
    if let Some((name, value)) = query {
        url.query_pairs_mut().append_pair(name, value);
    }
    Ok(url)
}

fn url(key: &str, text: &str) -> Result<Url, Wrong> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        _ => wrong(key, "expected an address such as https://example.com/v1"),
    }
}

fn text<'a>(key: &str, value: &'a Value) -> Result<&'a str, Wrong> {
    let text = value.as_str();
    text.map_or_else(|| wrong(key, "expected a text; put it in quotes"), Ok)
}

/// Seconds, whole or not; from a variable they are a text.
fn seconds(key: &str, value: &Value) -> Result<Duration, Wrong> {
    let number = value
        .as_f64()
        .or_else(|| value.as_str()?.trim().parse().ok());
    number
        .filter(|seconds| *seconds > 0.0)
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        // A year and more only overflows.
        .map(|time| time.min(Duration::from_secs(365 * 24 * 3600)))
        .map_or_else(|| wrong(key, "expected seconds, more than 0"), Ok)
}

fn whole_number(key: &str, value: &Value) -> Result<u32, Wrong> {
    let number = value
        .as_u64()
        .or_else(|| value.as_str()?.trim().parse().ok());
    number
        .and_then(|number| u32::try_from(number).ok())
        .map_or_else(|| wrong(key, "expected a whole number"), Ok)
}
