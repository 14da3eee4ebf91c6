//! A model that answers as a test says.

mod asked;
mod reply;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use myao_plugin::llm::{
    CALLS_IN_FLIGHT, CallObserver, CallRecord, Completion, Llm, LlmError, ModelIdentity, Request,
    estimate_tokens,
};
use tokio::sync::Semaphore;

pub use asked::Asked;
pub use reply::Reply;

/// The name of both provider and model.
const NAME: &str = "scripted";

type Script = dyn Fn(usize, &Request) -> Reply + Send + Sync;

/// A model with scripted answers, which records the requests that it gets.
///
/// A function of the request answers ([`new`](Self::new)). Rules are tried before it ([`on`](Self::on)); the first rule
/// that matches is used. Delays use tokio's clock: if it is paused, they take no time.
///
/// ```
/// use std::time::Duration;
///
/// use myao_plugin::{MemoryType, Scope};
/// use myao_plugin::llm::{Agent, Llm, LlmError, Purpose, Request};
/// use myao_testkit::{Asked, Reply, ScriptedLlm};
///
/// let llm = ScriptedLlm::new(|n, _| format!("- summary {n}"))
///     // The first question about C2 takes a while, the others are refused.
///     .on(Asked::about(Scope::Channel, "C2").nth(0), Reply::from("- C2").after(Duration::from_secs(3)))
///     .on(Asked::about(Scope::Channel, "C2"), LlmError::Refused("no".to_owned()))
///     .with_context_window(8192);
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(async {
/// let ask = |channel: &str| {
///     let purpose = Purpose {
///         agent: Agent::Memory,
///         scope: Scope::Channel,
///         scope_id: channel.to_owned(),
///         memory_type: Some(MemoryType::ShortTerm),
///     };
///     let request = Request {
///         system_prompt: "Summarise.".to_owned(),
///         max_tokens: 300,
///         answer_schema: None,
///         purpose,
///     };
///     llm.complete(request, &())
/// };
/// assert_eq!(ask("C1").await.unwrap().text, "- summary 0");
/// assert_eq!(ask("C2").await.unwrap().text, "- C2");
/// assert_eq!(ask("C2").await.unwrap_err(), LlmError::Refused("no".to_owned()));
/// assert_eq!(llm.requests().len(), 3);
/// # });
/// ```
pub struct ScriptedLlm {
    script: Box<Script>,
    rules: Vec<(Asked, Reply)>,
    identity: ModelIdentity,
    context_window: Option<u32>,
    count: fn(&str) -> u32,
    places: Semaphore,
    calls_in_flight: usize,
    /// The requests so far, and how often each rule matched.
    log: Mutex<Log>,
}

#[derive(Default)]
struct Log {
    requests: Vec<Request>,
    seen: Vec<usize>,
}

impl ScriptedLlm {
    /// A model that answers with `script(n, request)` to its `n`th request, counted from 0: with a text, a
    /// [`Completion`], an [`LlmError`], a `Result` of both, or a [`Reply`].
    pub fn new<R: Into<Reply>>(
        script: impl Fn(usize, &Request) -> R + Send + Sync + 'static,
    ) -> Self {
        Self {
            script: Box::new(move |n, request| script(n, request).into()),
            rules: Vec::new(),
            identity: ModelIdentity::new(NAME, NAME, "", &serde_json::Value::Null),
            context_window: None,
            count: estimate_tokens,
            places: Semaphore::new(CALLS_IN_FLIGHT),
            calls_in_flight: CALLS_IN_FLIGHT,
            log: Mutex::default(),
        }
    }

    /// A model that always gives the same answer.
    pub fn answering(reply: impl Into<Reply>) -> Self {
        let reply = reply.into();
        Self::new(move |_, _| reply.clone())
    }

    /// Adds a rule, which is tried before the function and after the rules added earlier.
    #[must_use]
    pub fn on(mut self, asked: Asked, reply: impl Into<Reply>) -> Self {
        self.rules.push((asked, reply.into()));
        self
    }

    /// Sets a context window, in tokens. It is only reported; a script may refuse a longer prompt.
    #[must_use]
    pub fn with_context_window(mut self, tokens: u32) -> Self {
        self.context_window = Some(tokens);
        self
    }

    /// Sets another way of counting tokens than [`estimate_tokens`].
    #[must_use]
    pub fn with_count(mut self, count: fn(&str) -> u32) -> Self {
        self.count = count;
        self
    }

    /// Sets how many calls may run at once; others wait.
    #[must_use]
    pub fn with_calls_in_flight(mut self, calls: usize) -> Self {
        self.places = Semaphore::new(calls);
        self.calls_in_flight = calls;
        self
    }

    /// The requests so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.log().requests.clone()
    }

    /// The prompts so far, in order.
    #[must_use]
    pub fn prompts(&self) -> Vec<String> {
        let log = self.log();
        let requests = log.requests.iter();
        requests
            .map(|request| request.system_prompt.clone())
            .collect()
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a request, and finds its answer. A request counts for every rule that it matches.
    fn reply(&self, request: &Request) -> Reply {
        let mut log = self.log();
        let n = log.requests.len();
        log.requests.push(request.clone());
        log.seen.resize(self.rules.len(), 0);
        let mut found = None;
        for ((asked, reply), seen) in self.rules.iter().zip(&mut log.seen) {
            if asked.fits(request) {
                if found.is_none() && asked.is_meant(*seen) {
                    found = Some(reply.clone());
                }
                *seen += 1;
            }
        }
        drop(log);
        found.unwrap_or_else(|| (self.script)(n, request))
    }
}

#[async_trait::async_trait]
impl Llm for ScriptedLlm {
    async fn complete(
        &self,
        request: Request,
        calls: &dyn CallObserver,
    ) -> Result<Completion, LlmError> {
        let reply = self.reply(&request);
        let _place = self.places.acquire().await;
        if !reply.delay.is_zero() {
            tokio::time::sleep(reply.delay).await;
        }
        let Some(result) = reply.result else {
            return std::future::pending().await;
        };
        calls.observe(record(reply.delay, &result));
        result
    }

    fn count_tokens(&self, text: &str) -> u32 {
        (self.count)(text)
    }

    fn context_window(&self) -> Option<u32> {
        self.context_window
    }

    fn identity(&self) -> Option<&ModelIdentity> {
        Some(&self.identity)
    }

    fn calls_in_flight(&self) -> usize {
        self.calls_in_flight
    }
}

/// The record of a call. Its start time is fixed, so that records are always the same.
fn record(duration: Duration, result: &Result<Completion, LlmError>) -> CallRecord {
    let completion = result.as_ref().ok();
    CallRecord {
        provider: NAME.to_owned(),
        model: completion
            .map_or(NAME, |completion| &completion.model)
            .to_owned(),
        input_tokens: completion.and_then(|completion| completion.input_tokens),
        output_tokens: completion.and_then(|completion| completion.output_tokens),
        cached_tokens: None,
        started_at: SystemTime::UNIX_EPOCH,
        duration,
        attempts: 1,
        finish_reason: completion.map(|completion| completion.finish_reason),
        error: result.as_ref().err().cloned(),
    }
}
