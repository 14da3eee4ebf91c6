//! Vectors of texts by OpenAI's API (<https://platform.openai.com/docs/api-reference/embeddings>), which most servers have.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use myao_plugin::embedder::{Embedder, TextKind, Vector};
use myao_plugin::llm::record::{CallObserver, CallRecord};
use myao_plugin::llm::{LlmError, ModelIdentity, estimate_tokens};
use myao_plugin::system_clock;
use reqwest::Url;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::client_args::{BadValue, ClientArgs, bad};
use super::config::ModelId;
use super::configured::{AgentError, api_key};
use super::endpoint::ModelEndpoint;
use super::expand::expanded_map;
use super::fault::{Fault, Retry};
use super::http::Http;
use super::limits::{Limiter, Limits};
use super::provider::{Api, Provider};
use super::retry::RetryPolicy;
use super::secret::ApiKey;
use super::timeouts::Timeouts;
use super::wire::bearer;

/// Of a longer text, only so many characters are sent: many servers refuse more than 8,192 tokens.
const MOST_CHARS: usize = 6_000;
/// The longest answer.
const MOST_BYTES: usize = 64 << 20;
/// After a failure nothing is sent for so long; the time doubles with each further failure, up to the longest.
const FIRST_REST: Duration = Duration::from_secs(30);
const LONGEST_REST: Duration = Duration::from_secs(3600);
/// Parameters that cannot be configured: myao sends them itself, or could not read the answer.
const RESERVED_PARAMS: [&str; 3] = ["model", "input", "encoding_format"];

/// `recall.embeddings`.
#[derive(Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Embeddings {
    /// Uses a model in the process where its file is there and `model_id` names none. Nothing is sent anywhere. Default `true`.
    pub local: bool,
    /// The file of that model, GGUF as llama.cpp writes it for multilingual-e5. Default: the package's,
    /// `../share/myao/multilingual-e5-small.gguf` from the program's folder, if it is there.
    pub file: Option<PathBuf>,
    /// Provider and model of a server, as in `openai/text-embedding-3-small`; for any server with OpenAI's API `openai/MODEL`
    /// with `base_url` in `client_args`. Texts of messages, and questions, are sent to it.
    #[schemars(with = "Option<String>")]
    pub model_id: Option<ModelId>,
    /// Address, key and timeouts; see [Models](#models).
    #[serde(deserialize_with = "expanded_map")]
    pub client_args: Map<String, Value>,
    /// Sent with questions, such as `input_type: query`.
    #[serde(deserialize_with = "expanded_map")]
    pub question_params: Map<String, Value>,
    /// Sent with messages, such as `input_type: passage`.
    #[serde(deserialize_with = "expanded_map")]
    pub message_params: Map<String, Value>,
    /// How many calls may be made at once and per minute.
    pub limits: Limits,
}

impl Default for Embeddings {
    fn default() -> Self {
        Self {
            local: true,
            file: None,
            model_id: None,
            client_args: Map::new(),
            question_params: Map::new(),
            message_params: Map::new(),
            limits: Limits::default(),
        }
    }
}

/// Without `client_args`, which hold the key.
impl std::fmt::Debug for Embeddings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embeddings")
            .field("local", &self.local)
            .field("file", &self.file)
            .field("model_id", &self.model_id)
            .field("question_params", &self.question_params)
            .field("message_params", &self.message_params)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// The embedder that the configuration names; `None` if it names none.
///
/// # Errors
/// [`AgentError`], which names the key of the configuration.
pub fn configured_embedder(
    embeddings: &Embeddings,
) -> Result<Option<impl Embedder + use<>>, AgentError> {
    let variable = |name: &str| std::env::var(name).ok();
    let Some(model_id) = &embeddings.model_id else {
        return Ok(None);
    };
    embedder(embeddings, model_id, &variable).map(Some)
}

/// The model for embeddings and its server; `None` if the configuration names none.
///
/// # Errors
/// [`AgentError`], which names the key of the configuration.
pub fn embedder_endpoint(embeddings: &Embeddings) -> Result<Option<ModelEndpoint>, AgentError> {
    let Some(model_id) = &embeddings.model_id else {
        return Ok(None);
    };
    let variable = |name: &str| std::env::var(name).ok();
    let embedder = embedder(embeddings, model_id, &variable)?;
    Ok(Some(ModelEndpoint {
        model: format!("{}/{}", model_id.provider, model_id.model),
        origin: embedder.url.origin().ascii_serialization(),
        missing_key: embedder.missing_key,
    }))
}

/// The embedder; `variable` reads the environment.
pub(super) fn embedder(
    embeddings: &Embeddings,
    model_id: &ModelId,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<OpenAiEmbedder, AgentError> {
    const SECTION: &str = "recall.embeddings";
    let value_error = |(key, detail)| AgentError::Value {
        section: SECTION.to_owned(),
        key,
        detail,
    };
    let provider =
        Provider::of_name(&model_id.provider).ok_or_else(|| AgentError::UnknownProvider {
            section: SECTION.to_owned(),
            provider: model_id.provider.clone(),
        })?;
    let args = ClientArgs::read(&embeddings.client_args).map_err(value_error)?;
    let url = address(embeddings, provider, &args).map_err(value_error)?;
    let key = api_key(provider, &args, variable);
    let needs_key = provider.needs_key && args.base_url.is_none();
    let missing_key = (needs_key && key.is_none()).then_some(provider.key_variable);
    let http = Http::new(key.clone(), args.timeouts).map_err(|error| AgentError::Client {
        section: SECTION.to_owned(),
        detail: error.to_string(),
    })?;
    let parameters = json!([embeddings.question_params, embeddings.message_params]);
    Ok(OpenAiEmbedder {
        identity: ModelIdentity::new(provider.name, &model_id.model, url.as_str(), &parameters),
        question_params: embeddings.question_params.clone(),
        message_params: embeddings.message_params.clone(),
        url,
        key,
        http,
        timeouts: args.timeouts,
        retries: args.retries,
        limiter: Limiter::new(embeddings.limits),
        missing_key,
        rest: Mutex::default(),
        now: system_clock::now,
    })
}

/// The address of the calls.
fn address(
    embeddings: &Embeddings,
    provider: &Provider,
    args: &ClientArgs,
) -> Result<Url, BadValue> {
    if provider.api != Api::OpenAi {
        return bad(
            "model_id",
            format!(
                "{} has another API for embeddings; for a server with OpenAI's use openai/MODEL and client_args.base_url",
                provider.name
            ),
        );
    }
    for (name, params) in [
        ("question_params", &embeddings.question_params),
        ("message_params", &embeddings.message_params),
    ] {
        let is_reserved = |key: &&String| RESERVED_PARAMS.contains(&key.as_str());
        if let Some(key) = params.keys().find(is_reserved) {
            return bad(
                &format!("{name}.{key}"),
                "myao sets this itself; take it out",
            );
        }
    }
    args.url_of(provider, &["embeddings"])
}

/// An embedder behind OpenAI's API.
pub(super) struct OpenAiEmbedder {
    identity: ModelIdentity,
    question_params: Map<String, Value>,
    message_params: Map<String, Value>,
    url: Url,
    key: Option<ApiKey>,
    http: Http,
    timeouts: Timeouts,
    retries: RetryPolicy,
    limiter: Limiter,
    /// The environment variable that may hold the key, if a key is needed and there is none.
    missing_key: Option<&'static str>,
    rest: Mutex<Rest>,
    /// The time of day, for records.
    now: fn() -> SystemTime,
}

/// The rest after failures.
#[derive(Default)]
struct Rest {
    until: Option<Instant>,
    last: Duration,
}

#[async_trait::async_trait]
impl Embedder for OpenAiEmbedder {
    fn identity(&self) -> &ModelIdentity {
        &self.identity
    }

    async fn embed(
        &self,
        texts: &[String],
        kind: TextKind,
        calls: &dyn CallObserver,
    ) -> Result<Vec<Vector>, LlmError> {
        self.is_awake()?;
        let started_at = (self.now)();
        let start = Instant::now();
        let body = self.body(texts, kind);
        let result = self.ask(&body, texts.len(), start).await;
        let mut record = CallRecord {
            provider: self.identity.provider().to_owned(),
            model: self.identity.model().to_owned(),
            input_tokens: None,
            output_tokens: Some(0),
            cached_tokens: None,
            started_at,
            duration: start.elapsed(),
            attempts: 1,
            finish_reason: None,
            error: None,
        };
        let result = match result {
            Ok(answer) => {
                record.input_tokens = answer.usage.prompt_tokens;
                self.lock_rest().last = Duration::ZERO;
                answer.vectors(texts.len())
            }
            Err(fault) => Err(fault),
        };
        let result = result.map_err(|fault| {
            tracing::debug!("no vectors: {}", fault.log_text());
            if !fault.message.is_empty() {
                calls.said(&fault.message);
            }
            self.begin_rest(&fault);
            record.error = Some(fault.error.clone());
            fault.error
        });
        calls.observe(record);
        result
    }

    fn paused_for(&self) -> Option<Duration> {
        let until = self.lock_rest().until?;
        let left = until.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }
}

impl OpenAiEmbedder {
    /// # Errors
    /// At once, while it rests.
    fn is_awake(&self) -> Result<(), LlmError> {
        self.paused_for().map_or(Ok(()), |left| {
            Err(LlmError::Unavailable(format!(
                "it failed; nothing is sent for another {} s",
                left.as_secs() + 1
            )))
        })
    }

    /// A request that can never succeed says nothing about the next one.
    fn begin_rest(&self, fault: &Fault) {
        if matches!(fault.error, LlmError::InvalidRequest(_)) && self.missing_key.is_none() {
            return;
        }
        let mut rest = self.lock_rest();
        rest.last = (rest.last * 2).clamp(FIRST_REST, LONGEST_REST);
        rest.until = Instant::now().checked_add(rest.last);
    }

    fn lock_rest(&self) -> std::sync::MutexGuard<'_, Rest> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn body(&self, texts: &[String], kind: TextKind) -> Value {
        let texts: Vec<String> = texts
            .iter()
            .map(|text| text.chars().take(MOST_CHARS).collect())
            .collect();
        let mut body = match kind {
            TextKind::Question => self.question_params.clone(),
            TextKind::Message => self.message_params.clone(),
        };
        body.insert("model".to_owned(), json!(self.identity.model()));
        body.insert("input".to_owned(), json!(texts));
        body.insert("encoding_format".to_owned(), json!("float"));
        Value::Object(body)
    }

    /// All attempts of one call.
    async fn ask(&self, body: &Value, count: usize, start: Instant) -> Result<Answer, Fault> {
        if let Some(variable) = self.missing_key {
            return Err(Fault::invalid(format!(
                "{} refuses calls without a key: set recall.embeddings.client_args.api_key or the variable {variable}",
                self.identity.provider()
            )));
        }
        let deadline = start + self.timeouts.call;
        let tokens = estimate_tokens(&body["input"].to_string());
        self.retries
            .run(deadline, || async {
                let _permit = self.limiter.acquire(tokens, deadline).await?;
                let headers = bearer(self.key.as_ref().map(ApiKey::expose));
                let answer = self
                    .http
                    .post(&self.url, headers, body, MOST_BYTES, self.now);
                let answer = answer.await;
                if let Err(Fault {
                    error: LlmError::RateLimited(_),
                    retry: Retry::After(wait),
                    ..
                }) = &answer
                {
                    self.limiter.pause(*wait);
                }
                let answer: Answer = serde_json::from_slice(&answer?).map_err(|error| {
                    Fault::unreadable(format!("the answer holds no vectors: {error}"), "")
                })?;
                if answer.data.len() == count {
                    Ok(answer)
                } else {
                    Err(Fault::unreadable(
                        format!("{} vectors for {count} texts", answer.data.len()),
                        "",
                    ))
                }
            })
            .await
    }
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Embedding>,
    #[serde(default)]
    usage: Usage,
}

#[derive(Deserialize)]
struct Embedding {
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Default, Deserialize)]
struct Usage {
    #[serde(default)]
    prompt_tokens: Option<u32>,
}

impl Answer {
    /// The vectors, in the order of the texts.
    fn vectors(self, count: usize) -> Result<Vec<Vector>, Fault> {
        let mut vectors = vec![None; count];
        for found in self.data {
            if let Some(place) = vectors.get_mut(found.index) {
                *place = Vector::new(found.embedding);
            }
        }
        let vectors: Option<Vec<Vector>> = vectors.into_iter().collect();
        vectors.ok_or_else(|| Fault::unreadable("a vector is missing, or has no direction", ""))
    }
}
