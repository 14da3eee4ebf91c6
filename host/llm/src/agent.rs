//! The model of one agent: provider, limits, retries, token counts.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use myao_plugin::llm::record::{CallObserver, CallRecord};
use myao_plugin::llm::{Completion, Destination, Llm, LlmError, ModelIdentity, Request};
use tokio::time::Instant;

use super::fault::{Fault, Retry};
use super::http::Http;
use super::limits::{Limiter, Limits};
use super::retry::RetryPolicy;
use super::timeouts::Timeouts;
use super::tokens::TokenCounter;
use super::wire::{Answer, ModelApi};

/// The model of `agents.NAME`.
pub(super) struct AgentLlm {
    /// The provider's name.
    pub(super) provider: &'static str,
    /// The provider's name for the model.
    pub(super) model: String,
    pub(super) model_api: ModelApi,
    pub(super) http: Http,
    pub(super) timeouts: Timeouts,
    pub(super) retries: RetryPolicy,
    pub(super) limits: Limits,
    pub(super) limiter: Limiter,
    pub(super) counter: TokenCounter,
    pub(super) context_window: Option<u32>,
    pub(super) identity: ModelIdentity,
    /// The environment variable that may hold the key, if a key is needed and there is none.
    pub(super) missing_key: Option<&'static str>,
    /// The time of day, for records.
    pub(super) now: fn() -> SystemTime,
}

#[async_trait::async_trait]
impl Llm for AgentLlm {
    async fn complete(
        &self,
        request: Request,
        calls: &dyn CallObserver,
    ) -> Result<Completion, LlmError> {
        let started_at = (self.now)();
        let start = Instant::now();
        let attempts = AtomicU32::new(0);
        let result = self.ask(&request, start, &attempts).await;
        let attempts = attempts.into_inner();
        let mut record = CallRecord {
            provider: self.provider.to_owned(),
            model: self.model.clone(),
            input_tokens: None,
            output_tokens: None,
            cached_tokens: None,
            started_at,
            duration: start.elapsed(),
            attempts,
            finish_reason: None,
            error: None,
        };
        let result = match result {
            Ok(answer) => {
                record.input_tokens = answer.input_tokens;
                record.output_tokens = answer.output_tokens;
                record.cached_tokens = answer.cached_tokens;
                let completion = answer.into_completion(&self.model);
                record.model.clone_from(&completion.model);
                record.finish_reason = Some(completion.finish_reason);
                Ok(completion)
            }
            Err(fault) => {
                tracing::debug!(
                    provider = self.provider,
                    attempts,
                    "no answer: {}",
                    fault.log_text()
                );
                if !fault.message.is_empty() {
                    calls.said(&fault.message);
                }
                record.error = Some(fault.error.clone());
                Err(fault.error)
            }
        };
        calls.observe(record);
        result
    }

    fn count_tokens(&self, text: &str) -> u32 {
        self.counter.count(text)
    }

    fn context_window(&self) -> Option<u32> {
        self.context_window
    }

    fn identity(&self) -> Option<&ModelIdentity> {
        Some(&self.identity)
    }

    fn destination(&self) -> Option<Destination<'_>> {
        let url = &self.model_api.url;
        Some(Destination {
            model: &self.model,
            address: url.host_str()?,
            port: url.port_or_known_default(),
            max_tokens: self.model_api.max_tokens,
        })
    }

    fn calls_in_flight(&self) -> usize {
        self.limits.calls_in_flight()
    }

    fn paused_for(&self) -> Option<Duration> {
        self.limiter.paused_for()
    }

    fn pause(&self, wait: Duration) {
        self.limiter.pause(wait);
    }

    fn share_with(&self, processes: u32) {
        self.limiter.share_with(processes);
    }
}

impl AgentLlm {
    /// All attempts of one call; `attempts` counts the requests sent.
    async fn ask(
        &self,
        request: &Request,
        start: Instant,
        attempts: &AtomicU32,
    ) -> Result<Answer, Fault> {
        if let Some(variable) = self.missing_key {
            return Err(Fault::invalid(format!(
                "{} refuses calls without a key: set client_args.api_key or the variable {variable}",
                self.provider
            )));
        }
        let deadline = start + self.timeouts.call;
        let tokens = self.tokens_of(request);
        self.retries
            .run(deadline, || async {
                let _permit = self.limiter.acquire(tokens, deadline).await?;
                attempts.fetch_add(1, Ordering::Relaxed);
                let result = self.http.ask(&self.model_api, request, self.now).await;
                if let Err(Fault {
                    error: LlmError::RateLimited(_),
                    retry: Retry::After(wait),
                    ..
                }) = &result
                {
                    self.limiter.pause(*wait);
                }
                result
            })
            .await
    }

    /// The tokens that a request counts for: its prompt, and the longest answer that it asks for.
    fn tokens_of(&self, request: &Request) -> u32 {
        if self.limits.tokens_per_minute.is_none() {
            return 0;
        }
        self.count_tokens(&request.system_prompt)
            .saturating_add(request.max_tokens)
    }
}
