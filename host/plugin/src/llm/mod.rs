//! Language models, which the component calls through its import `llm`. The crate `myao-llm` has clients for several
//! providers.

mod agents;
mod allowance;
mod estimate;
pub mod identity;
pub mod record;

use std::sync::Arc;

use std::time::Duration;

pub use agents::Agents;
pub use allowance::{Allowance, BUDGET_SPENT, BUDGET_TOO_SMALL};
pub use estimate::estimate_tokens;
pub use identity::ModelIdentity;
pub use record::{CallObserver, CallRecord};

pub use crate::bindings::llm::{Agent, Completion, FinishReason, LlmError, Purpose, Request};

/// How many calls of one agent are in flight at once, unless its limits say otherwise.
pub const CALLS_IN_FLIGHT: usize = 16;

/// A language model. `wit/llm.wit` documents the calls and errors.
///
/// Your own model needs a single function. The crate `myao-llm` has models of several providers.
///
/// ```
/// use myao_plugin::llm::{CallObserver, Completion, FinishReason, Llm, LlmError, Request};
///
/// struct MyGateway;
/// # impl MyGateway {
/// #     async fn ask(&self, prompt: &str, max_tokens: u32) -> Result<String, std::io::Error> { Ok(format!("{max_tokens} {prompt}")) }
/// # }
///
/// #[async_trait::async_trait]
/// impl Llm for MyGateway {
///     async fn complete(&self, request: Request, _: &dyn CallObserver) -> Result<Completion, LlmError> {
///         let text = self.ask(&request.system_prompt, request.max_tokens).await;
///         Ok(Completion {
///             text: text.map_err(|error| LlmError::Unavailable(error.to_string()))?,
///             finish_reason: FinishReason::Stop,
///             model: "my-model".to_owned(),
///             input_tokens: None,
///             output_tokens: None,
///         })
///     }
///
///     fn context_window(&self) -> Option<u32> {
///         Some(32_768)
///     }
/// }
/// ```
#[async_trait::async_trait]
pub trait Llm: Send + Sync {
    /// Asks for one answer. The model gets exactly one `system` message, and no `user` message (except for providers
    /// that require one: `docs/architecture.md`). When the call has ended, `calls` receives what it cost, whatever its
    /// result.
    async fn complete(
        &self,
        request: Request,
        calls: &dyn CallObserver,
    ) -> Result<Completion, LlmError>;

    /// How many tokens a text has. The count may be too high, but never too low.
    fn count_tokens(&self, text: &str) -> u32 {
        estimate_tokens(text)
    }

    /// How many tokens prompt and answer may have together; `None` if not known. Every call gets the same value: what the
    /// provider says of one place's prompt changes no other place's.
    fn context_window(&self) -> Option<u32> {
        None
    }

    /// The identity of this model; `None` if not known. Without it, no answer of an earlier call is reused.
    fn identity(&self) -> Option<&ModelIdentity> {
        None
    }

    /// Where its calls go, for traces; `None` if not known.
    fn destination(&self) -> Option<Destination<'_>> {
        None
    }

    /// How many calls may be in flight at once.
    fn calls_in_flight(&self) -> usize {
        CALLS_IN_FLIGHT
    }

    /// For how long the provider accepts no calls; `None` if it accepts them.
    fn paused_for(&self) -> Option<Duration> {
        None
    }

    /// Makes no calls for this long: the provider has asked another process for that.
    fn pause(&self, _wait: Duration) {}

    /// Keeps to an equal part of the limits per minute, as so many processes call the model.
    fn share_with(&self, _processes: u32) {}
}

/// A shared model is a model, too.
#[async_trait::async_trait]
impl<T: Llm + ?Sized> Llm for Arc<T> {
    async fn complete(
        &self,
        request: Request,
        calls: &dyn CallObserver,
    ) -> Result<Completion, LlmError> {
        (**self).complete(request, calls).await
    }

    fn count_tokens(&self, text: &str) -> u32 {
        (**self).count_tokens(text)
    }

    fn context_window(&self) -> Option<u32> {
        (**self).context_window()
    }

    fn identity(&self) -> Option<&ModelIdentity> {
        (**self).identity()
    }

    fn destination(&self) -> Option<Destination<'_>> {
        (**self).destination()
    }

    fn calls_in_flight(&self) -> usize {
        (**self).calls_in_flight()
    }

    fn paused_for(&self) -> Option<Duration> {
        (**self).paused_for()
    }

    fn pause(&self, wait: Duration) {
        (**self).pause(wait);
    }

    fn share_with(&self, processes: u32) {
        (**self).share_with(processes);
    }
}

/// Where a model's calls go: what the call records do not contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Destination<'a> {
    /// The model that is asked, by the name that the provider uses.
    pub model: &'a str,
    /// The host name or IP address of the server. Nothing else of its address, which may contain a password.
    pub address: &'a str,
    /// Its port.
    pub port: Option<u16>,
    /// The maximum length of an answer in tokens, if the configuration sets one.
    pub max_tokens: Option<u32>,
}

/// No model: for the extractive engine, which never asks a model.
#[derive(Debug, Clone, Copy)]
pub struct NoLlm;

#[async_trait::async_trait]
impl Llm for NoLlm {
    async fn complete(&self, _: Request, _: &dyn CallObserver) -> Result<Completion, LlmError> {
        Err(LlmError::InvalidRequest(
            "no model is configured: set `agents.memory.model_id` in the configuration".to_owned(),
        ))
    }
}
