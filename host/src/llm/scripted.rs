//! A model that answers as it is told, for tests and for trying the `llm` engine without a network.

use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use super::{
    CallObserver, CallRecord, Completion, FinishReason, Llm, LlmError, ModelIdentity, Request,
};

/// Provider and model.
const NAME: &str = "scripted";

type Script = dyn Fn(usize, &Request) -> Result<Completion, LlmError> + Send + Sync;

/// A model whose answers a function gives, and which remembers what it was asked.
pub struct ScriptedLlm {
    script: Box<Script>,
    identity: ModelIdentity,
    requests: Mutex<Vec<Request>>,
}

impl ScriptedLlm {
    /// A model that answers with `script(n, request)` to its `n`th request, counted from 0.
    pub fn new(
        script: impl Fn(usize, &Request) -> Result<Completion, LlmError> + Send + Sync + 'static,
    ) -> Self {
        Self {
            script: Box::new(script),
            identity: ModelIdentity::new(NAME, NAME, "", &serde_json::Value::Null),
            requests: Mutex::new(Vec::new()),
        }
    }

    /// A model that answers with `text(n, request)`, and stops because it is done.
    pub fn answering(text: impl Fn(usize, &Request) -> String + Send + Sync + 'static) -> Self {
        Self::new(move |n, request| Ok(answer(text(n, request))))
    }

    /// What it was asked so far, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.requests
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .clone()
    }
}

/// A whole answer.
#[must_use]
pub fn answer(text: impl Into<String>) -> Completion {
    Completion {
        text: text.into(),
        finish_reason: FinishReason::Stop,
        model: NAME.to_owned(),
        input_tokens: None,
        output_tokens: None,
    }
}

#[async_trait::async_trait]
impl Llm for ScriptedLlm {
    async fn complete(
        &self,
        request: Request,
        calls: &dyn CallObserver,
    ) -> Result<Completion, LlmError> {
        let n = {
            let mut requests = self
                .requests
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            requests.push(request.clone());
            requests.len() - 1
        };
        let result = (self.script)(n, &request);
        calls.observe(record(&result));
        result
    }

    fn identity(&self) -> Option<&ModelIdentity> {
        Some(&self.identity)
    }
}

/// The record of an answer that took no time.
fn record(result: &Result<Completion, LlmError>) -> CallRecord {
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
        duration: Duration::ZERO,
        attempts: 1,
        finish_reason: completion.map(|completion| completion.finish_reason),
        error: result.as_ref().err().cloned(),
    }
}
