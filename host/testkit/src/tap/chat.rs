//! A chat platform that reports its calls to a listener.

use std::sync::Arc;

use myao_plugin::chat::{Chat, ChatError, Message, PostOutcome, PostRequest, User};

use super::Line;

pub(super) fn tapped(inner: Arc<dyn Chat>, line: Line) -> Arc<dyn Chat> {
    Arc::new(Tapped { inner, line })
}

struct Tapped {
    inner: Arc<dyn Chat>,
    line: Line,
}

#[async_trait::async_trait]
impl Chat for Tapped {
    async fn post(&self, request: PostRequest) -> Result<PostOutcome, ChatError> {
        let call = self.line.call("chat.post", &request);
        self.line.through(call, self.inner.post(request)).await
    }

    async fn retract(&self, channel_id: String, answers: String) -> Result<(), ChatError> {
        // The component never calls it.
        self.inner.retract(channel_id, answers).await
    }

    async fn thread(
        &self,
        channel_id: String,
        thread_ts: String,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        let arguments = (&channel_id, &thread_ts, limit);
        let call = self.line.call("chat.thread", &arguments);
        let done = self.inner.thread(channel_id, thread_ts, limit);
        self.line.through(call, done).await
    }

    async fn history(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        let arguments = (&channel_id, &until, limit);
        let call = self.line.call("chat.history", &arguments);
        let done = self.inner.history(channel_id, until, limit);
        self.line.through(call, done).await
    }

    async fn permalink(&self, channel_id: String, ts: String) -> Result<String, ChatError> {
        let call = self.line.call("chat.permalink", &(&channel_id, &ts));
        let done = self.inner.permalink(channel_id, ts);
        self.line.through(call, done).await
    }

    async fn get_user(&self, id: String) -> Result<User, ChatError> {
        let call = self.line.call("chat.get-user", &id);
        self.line.through(call, self.inner.get_user(id)).await
    }
}
