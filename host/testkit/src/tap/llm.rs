//! A model that reports its calls to a listener.

use std::sync::Arc;
use std::time::Duration;

use myao_plugin::llm::{
    CallObserver, Completion, Destination, Llm, LlmError, ModelIdentity, Request,
};

use super::Line;
use crate::call::{CONTEXT_WINDOW, COUNT_TOKENS};

pub(super) fn tapped(inner: Arc<dyn Llm>, line: Line) -> Arc<dyn Llm> {
    Arc::new(Tapped { inner, line })
}

struct Tapped {
    inner: Arc<dyn Llm>,
    line: Line,
}

#[async_trait::async_trait]
impl Llm for Tapped {
    async fn complete(
        &self,
        request: Request,
        calls: &dyn CallObserver,
    ) -> Result<Completion, LlmError> {
        let call = self.line.call("llm.complete", &request);
        let done = self.inner.complete(request, calls);
        self.line.through(call, done).await
    }

    fn count_tokens(&self, text: &str) -> u32 {
        let tokens = self.inner.count_tokens(text);
        self.line.told(COUNT_TOKENS, &text, tokens)
    }

    fn context_window(&self) -> Option<u32> {
        let window = self.inner.context_window();
        self.line.told(CONTEXT_WINDOW, &(), window)
    }

    fn identity(&self) -> Option<&ModelIdentity> {
        self.inner.identity()
    }

    fn destination(&self) -> Option<Destination<'_>> {
        self.inner.destination()
    }

    fn calls_in_flight(&self) -> usize {
        self.inner.calls_in_flight()
    }

    fn paused_for(&self) -> Option<Duration> {
        self.inner.paused_for()
    }

    fn pause(&self, wait: Duration) {
        self.inner.pause(wait);
    }

    fn share_with(&self, processes: u32) {
        self.inner.share_with(processes);
    }
}
