//! The import `llm`, over an [`Llm`](crate::llm::Llm). Keys and addresses stay behind that trait.

use futures::StreamExt as _;

use super::{CallState, Capabilities};
use crate::bindings::llm::{Agent, Completion, Host, LlmError, Request};

impl Host for CallState {
    async fn complete(&mut self, request: Request) -> Result<Completion, LlmError> {
        let Capabilities { llm, calls, .. } = &self.capabilities;
        llm.complete(request, &**calls).await
    }

    async fn complete_all(&mut self, requests: Vec<Request>) -> Vec<Result<Completion, LlmError>> {
        let Capabilities { llm, calls, .. } = &self.capabilities;
        // A call that has not begun has no deadline yet; so no more begin than may be under way.
        futures::stream::iter(requests)
            .map(|request| llm.complete(request, &**calls))
            .buffered(llm.calls_in_flight())
            .collect()
            .await
    }

    async fn context_window(&mut self, _: Agent) -> Option<u32> {
        self.capabilities.llm.context_window()
    }

    async fn count_tokens(&mut self, _: Agent, texts: Vec<String>) -> Vec<u32> {
        texts
            .iter()
            .map(|text| self.capabilities.llm.count_tokens(text))
            .collect()
    }
}
