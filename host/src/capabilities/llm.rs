//! The import `llm`, over an [`Llm`](crate::llm::Llm). Keys and addresses stay behind that trait.

use futures::StreamExt as _;

use super::CallState;
use crate::bindings::llm::{Agent, Completion, Host, LlmError, Request};

/// How many calls of one `complete-all` are under way at once.
const CALLS_IN_FLIGHT: usize = 16;

impl Host for CallState {
    async fn complete(&mut self, request: Request) -> Result<Completion, LlmError> {
        self.capabilities.llm.complete(request).await
    }

    async fn complete_all(&mut self, requests: Vec<Request>) -> Vec<Result<Completion, LlmError>> {
        let llm = &self.capabilities.llm;
        futures::stream::iter(requests)
            .map(|request| llm.complete(request))
            .buffered(CALLS_IN_FLIGHT)
            .collect()
            .await
    }

    async fn context_window(&mut self, _: Agent) -> Option<u32> {
        None
    }

    async fn count_tokens(&mut self, _: Agent, texts: Vec<String>) -> Vec<u32> {
        texts
            .iter()
            .map(|text| self.capabilities.llm.count_tokens(text))
            .collect()
    }
}
