//! The import `llm`, over the agents' [`Llm`](crate::llm::Llm)s. Keys and addresses stay behind that trait.

use futures::StreamExt as _;

use super::{CallState, Capabilities};
use crate::bindings::llm::{Agent, Completion, Host, LlmError, Request};

impl Host for CallState {
    async fn complete(&mut self, request: Request) -> Result<Completion, LlmError> {
        self.capabilities.complete(request).await
    }

    async fn complete_all(&mut self, requests: Vec<Request>) -> Vec<Result<Completion, LlmError>> {
        let Some(first) = requests.first() else {
            return Vec::new();
        };
        // A call that has not begun has no deadline yet; so no more begin than may be under way.
        let in_flight = self
            .capabilities
            .agents
            .of(first.purpose.agent)
            .calls_in_flight();
        futures::stream::iter(requests)
            .map(|request| self.capabilities.complete(request))
            .buffered(in_flight)
            .collect()
            .await
    }

    async fn context_window(&mut self, agent: Agent) -> Option<u32> {
        self.capabilities.agents.of(agent).context_window()
    }

    async fn count_tokens(&mut self, agent: Agent, texts: Vec<String>) -> Vec<u32> {
        let llm = self.capabilities.agents.of(agent);
        texts.iter().map(|text| llm.count_tokens(text)).collect()
    }
}

impl Capabilities {
    async fn complete(&self, request: Request) -> Result<Completion, LlmError> {
        let llm = self.agents.of(request.purpose.agent);
        match &self.trace {
            Some(trace) => trace.ask(llm, request, &*self.calls).await,
            None => llm.complete(request, &*self.calls).await,
        }
    }
}
