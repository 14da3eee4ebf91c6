//! Language models: what the component asks through its import `llm`. The crate `myao-llm` has clients of several providers.

mod agents;
mod estimate;
pub mod identity;
pub mod record;

use std::sync::Arc;

use std::time::Duration;

pub use agents::Agents;
pub use estimate::estimate_tokens;
pub use identity::ModelIdentity;
pub use record::{CallObserver, CallRecord};

pub use crate::bindings::llm::{Agent, Completion, FinishReason, LlmError, Purpose, Request};

/// How many calls of one agent are under way at once, where its limits say nothing else.
pub const CALLS_IN_FLIGHT: usize = 16;

/// A language model. `wit/llm.wit` documents the calls and errors.
///
/// One of your own needs a single function; the crate `myao-llm` has those of several providers.
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
    /// Asks for one answer. The model gets exactly one `system` message, and no `user` message (but for
    /// providers that insist on one: `docs/architecture.md`). Once it is over, `calls` is told what it cost,
    /// whatever its result.
    async fn complete(
        &self,
        request: Request,
        calls: &dyn CallObserver,
    ) -> Result<Completion, LlmError>;

    /// How many tokens a text has; never too few.
    fn count_tokens(&self, text: &str) -> u32 {
        estimate_tokens(text)
    }

    /// How many tokens prompt and answer may have together, if that is known.
    fn context_window(&self) -> Option<u32> {
        None
    }

    /// Takes over a context window that an earlier run learned, and that was kept. One of the configuration's own
    /// goes before it.
    fn restore_context_window(&self, _tokens: u32) {}

    /// What tells this model from others; none where that is not known. Without it no answer of an earlier call is
    /// taken again, and no context window is kept.
    fn identity(&self) -> Option<&ModelIdentity> {
        None
    }

    /// Where its calls go, for traces; none where that is not known.
    fn destination(&self) -> Option<Destination<'_>> {
        None
    }

    /// How many calls may be under way at once.
    fn calls_in_flight(&self) -> usize {
        CALLS_IN_FLIGHT
    }

    /// How long the provider wants no calls; `None` if it takes them.
    fn paused_for(&self) -> Option<Duration> {
        None
    }
}

/// A shared one is one, too.
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

    fn restore_context_window(&self, tokens: u32) {
        (**self).restore_context_window(tokens)
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
}

/// Where a model's calls go: what its records do not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Destination<'a> {
    /// The model that is asked, as the provider knows it.
    pub model: &'a str,
    /// The name or number of the server; nothing else of its address, which may hold a password.
    pub address: &'a str,
    /// Its port.
    pub port: Option<u16>,
    /// The longest answer that the configuration allows, in tokens, if it says.
    pub max_tokens: Option<u32>,
}

/// No model: for the extractive engine, which never asks one.
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
