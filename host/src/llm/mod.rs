//! Language models: what the component asks through its import `llm`.

mod configured;
pub mod openai;
pub mod scripted;
mod tokens;

pub use configured::{AgentError, configured};
pub use tokens::estimate_tokens;

pub use crate::bindings::llm::{Completion, FinishReason, LlmError, Request};

/// A language model. `wit/llm.wit` documents the calls and errors.
#[async_trait::async_trait]
pub trait Llm: Send + Sync {
    /// Asks for one answer. The model gets exactly one `system` message, and no `user` message.
    async fn complete(&self, request: Request) -> Result<Completion, LlmError>;

    /// How many tokens a text has; never too few.
    fn count_tokens(&self, text: &str) -> u32 {
        estimate_tokens(text)
    }
}

/// No model: for the extractive engine, which never asks one.
#[derive(Debug, Clone, Copy)]
pub struct NoLlm;

#[async_trait::async_trait]
impl Llm for NoLlm {
    async fn complete(&self, _: Request) -> Result<Completion, LlmError> {
        Err(LlmError::InvalidRequest(
            "no model is configured: set `agents.memory.model_id` in the configuration".to_owned(),
        ))
    }
}
